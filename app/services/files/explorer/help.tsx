import { IconButton } from "../../../embed/components/icons";
import type { English } from "../../../locales/translate";
import type { ScopeAction } from "../place/actions";
import { useModal } from "../screen/dialog";
import { keyNames } from "../screen/key-names";
import { useLanguage } from "../screen/language";

interface HelpProps {
  /** the token's */
  actions: readonly ScopeAction[];
  onClose(): void;
}

/** Says what can be done here, and lists the keyboard shortcuts. */
export function Help({ actions, onClose }: HelpProps) {
  const { t } = useLanguage();
  const namesOf = keyNames(t);
  const { modal } = useModal(onClose);
  return (
    <dialog {...modal} className="modal shortcuts" aria-labelledby="sheet-title">
      <header className="shortcuts__head">
        <h2 id="sheet-title">{t("help.title")}</h2>
        <IconButton icon="close" label={t("shortcuts.close")} onClick={onClose} />
      </header>
      <section className="shortcuts__can">
        <h3>{t("help.can")}</h3>
        <ul>
          {abilitiesFor(actions).map((ability) => (
            <li key={ability}>{t(`help.${ability}`)}</li>
          ))}
        </ul>
      </section>
      <section className="shortcuts__keys">
        <h3>{t("shortcuts.title")}</h3>
        <div className="shortcuts__groups">
          {shortcutGroupsFor(actions).map(({ title, shortcuts }) => (
            <section key={title}>
              <h4>{t(title)}</h4>
              <dl>
                {shortcuts.map(({ does, keys }) => (
                  <div key={does}>
                    <dt>{t(does)}</dt>
                    <dd>
                      {keys.map((combination) => (
                        <kbd key={combination} dir="ltr">
                          {namesOf(combination)}
                        </kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </section>
    </dialog>
  );
}

type SentenceKey =
  | `shortcuts.${keyof English["files"]["shortcuts"]}`
  // Named as in menus and fields.
  | `changes.${"rename" | "cut" | "clip" | "paste" | "delete" | "undo" | "redo"}`
  | "look.details"
  | "recent.title"
  | "search.label";

/** What can be done, and the actions of which the token must allow one. */
const abilities = {
  open: [],
  view: ["download"],
  download: ["download"],
  upload: ["upload"],
  organize: ["organize"],
  delete: ["delete"],
  history: ["history"],
  more: [],
} as const satisfies Record<string, readonly ScopeAction[]>;

type Ability = keyof typeof abilities;

/** What a token with these actions allows, in the order in which it is told. */
export const abilitiesFor = (actions: readonly ScopeAction[]): Ability[] =>
  (Object.keys(abilities) as Ability[]).filter((ability) => isAllowed(abilities[ability], actions));

const isAllowed = (needs: readonly ScopeAction[], actions: readonly ScopeAction[]) =>
  needs.length === 0 || needs.some((action) => actions.includes(action));

interface Shortcut {
  does: SentenceKey;
  /** keys or combinations as `keyNames` takes them: `Ctrl+A`. Several do the same, or the second does the reverse. */
  keys: readonly string[];
  /** shown only if the token allows one of these actions */
  needs?: readonly ScopeAction[];
}

interface ShortcutGroup {
  title: SentenceKey;
  shortcuts: readonly Shortcut[];
}

/** `keyNames` writes the keys as they are labelled on the person's keyboard. */
const groups: readonly ShortcutGroup[] = [
  {
    title: "shortcuts.moving",
    shortcuts: [
      { does: "shortcuts.open", keys: ["Enter"] },
      { does: "shortcuts.upOne", keys: ["Backspace", "←", "Alt+↑"] },
      { does: "shortcuts.intoFolder", keys: ["→"] },
      { does: "shortcuts.back", keys: ["Alt+←", "Alt+→"] },
      { does: "shortcuts.rows", keys: ["↓", "↑"] },
      { does: "shortcuts.ends", keys: ["Home", "End"] },
      { does: "look.details", keys: ["Alt+Enter"] },
      { does: "search.label", keys: ["/"] },
      { does: "recent.title", keys: ["Alt+R"] },
      { does: "shortcuts.help", keys: ["?"] },
    ],
  },
  {
    title: "shortcuts.selecting",
    shortcuts: [
      { does: "shortcuts.toggle", keys: ["Space"] },
      { does: "shortcuts.range", keys: ["Shift+↓", "Shift+↑"] },
      { does: "shortcuts.all", keys: ["Ctrl+A"] },
      { does: "shortcuts.none", keys: ["Esc"] },
    ],
  },
  {
    title: "shortcuts.changing",
    shortcuts: [
      { does: "changes.rename", keys: ["F2"], needs: ["organize"] },
      { does: "changes.cut", keys: ["Ctrl+X"], needs: ["organize"] },
      { does: "changes.clip", keys: ["Ctrl+C"], needs: ["organize"] },
      { does: "changes.paste", keys: ["Ctrl+V"], needs: ["organize"] },
      { does: "changes.delete", keys: ["Delete"], needs: ["delete"] },
      { does: "changes.undo", keys: ["Ctrl+Z"], needs: ["organize", "delete"] },
      { does: "changes.redo", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], needs: ["organize", "delete"] },
    ],
  },
];

/** The shortcuts for a token with these actions. */
export function shortcutGroupsFor(actions: readonly ScopeAction[]): ShortcutGroup[] {
  return groups
    .map(({ title, shortcuts }) => ({
      title,
      shortcuts: shortcuts.filter(({ needs = [] }) => isAllowed(needs, actions)),
    }))
    .filter(({ shortcuts }) => shortcuts.length > 0);
}
