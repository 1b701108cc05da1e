import { IconButton } from "../../../embed/components/icons";
import type { English } from "../../../locales/translate";
import type { ScopeAction } from "../place/actions";
import { useModal } from "../screen/dialog";
import { keyNames } from "../screen/key-names";
import { useLanguage } from "../screen/language";

interface ShortcutSheetProps {
  /** the token's */
  actions: readonly ScopeAction[];
  onClose(): void;
}

/** Lists the keyboard shortcuts. */
export default function ShortcutSheet({ actions, onClose }: ShortcutSheetProps) {
  const { t } = useLanguage();
  const namesOf = keyNames(t);
  const { modal } = useModal(onClose);
  return (
    <dialog {...modal} className="modal shortcuts" aria-labelledby="sheet-title">
      <header className="shortcuts__head">
        <h2 id="sheet-title">{t("shortcuts.title")}</h2>
        <IconButton icon="close" label={t("shortcuts.close")} onClick={onClose} />
      </header>
      <div className="shortcuts__groups">
        {shortcutGroupsFor(actions).map(({ title, shortcuts }) => (
          <section key={title}>
            <h3>{t(title)}</h3>
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
    </dialog>
  );
}

type SentenceKey =
  | `shortcuts.${keyof English["files"]["shortcuts"]}`
  // Named as in menus and fields.
  | `changes.${"rename" | "cut" | "clip" | "paste" | "delete" | "undo" | "redo"}`
  | "look.details"
  | "search.label";

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
      shortcuts: shortcuts.filter(({ needs }) => needs?.some((action) => actions.includes(action)) ?? true),
    }))
    .filter(({ shortcuts }) => shortcuts.length > 0);
}
