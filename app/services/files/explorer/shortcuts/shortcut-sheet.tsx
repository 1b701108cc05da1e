import { useEffect, useRef } from "react";
import type { FileAction } from "../../actions";
import { IconButton } from "../icon-button";
import { useLanguage } from "../language";
import { isRightToLeft } from "../reading-direction";
import { shortcutGroupsFor } from "./shortcut-list";

interface ShortcutSheetProps {
  /** the token's */
  actions: readonly FileAction[];
  onClose(): void;
}

/** What can be done by keys. Closing it gives the focus back to where it was. */
export default function ShortcutSheet({ actions, onClose }: ShortcutSheetProps) {
  const { t } = useLanguage();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="sheet-title" onClose={onClose}>
      <header className="sheet__head">
        <h2 id="sheet-title">{t("shortcuts.title")}</h2>
        <IconButton icon="close" label={t("shortcuts.close")} onClick={() => dialog.current?.close()} />
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
                        {namesOnThisMachine(asOneReads(combination))}
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

/** Where lines run from right to left, the arrow that leads on points left. */
function asOneReads(combination: string): string {
  const mirrored: Record<string, string> = { "←": "→", "→": "←" };
  return isRightToLeft() ? (mirrored[combination] ?? combination) : combination;
}

/** A Mac's keyboard has other signs, and a command key where others have Ctrl; it goes back by that and a bracket. */
function namesOnThisMachine(combination: string): string {
  if (!/Mac|iP(hone|ad)/.test(navigator.userAgent)) return combination;
  const signs: Record<string, string> = {
    "Alt+←": "⌘[",
    "Alt+→": "⌘]",
    "Alt+↑": "⌘↑",
    Backspace: "⌫",
    Delete: "⌘⌫",
  };
  return signs[combination] ?? combination.replace("Ctrl+", "⌘").replace("Shift+", "⇧").replace("Alt+", "⌥");
}
