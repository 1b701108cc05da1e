import type { FileAction } from "../../actions";
import { IconButton } from "../icon-button";
import { useLanguage } from "../language";
import { useModal } from "../use-modal";
import { keyNames } from "./key-names";
import { shortcutGroupsFor } from "./shortcut-list";

interface ShortcutSheetProps {
  /** the token's */
  actions: readonly FileAction[];
  onClose(): void;
}

/** What can be done by keys. */
export default function ShortcutSheet({ actions, onClose }: ShortcutSheetProps) {
  const { t } = useLanguage();
  const namesOf = keyNames(t);
  const { modal } = useModal(onClose);
  return (
    <dialog {...modal} className="modal sheet" aria-labelledby="sheet-title">
      <header className="sheet__head">
        <h2 id="sheet-title">{t("shortcuts.title")}</h2>
        <IconButton icon="close" label={t("shortcuts.close")} onClick={onClose} />
      </header>
      <div className="sheet__groups">
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
