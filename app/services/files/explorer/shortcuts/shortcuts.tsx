import { useEffect, useRef, useState } from "react";
import type { FileAction } from "../../actions";
import { lazyPanel } from "../lazy-panel";

const LazyShortcutSheet = lazyPanel(() => import("./shortcut-sheet"));

/** Keys that do the same wherever the focus is. Type-ahead leaves them out: hardly a name begins with them. */
export const isShortcut = (key: string) => key === "?" || key === "/";

interface ShortcutsProps {
  actions: readonly FileAction[];
  onUp: (() => void) | null;
  /** undefined while nothing can be on the clipboard */
  onPaste: (() => void) | undefined;
}

/** Keyboard shortcuts of the whole screen. They do nothing in a text field, a dialog or a menu. `shortcut-sheet.tsx` lists all shortcuts. */
export function Shortcuts({ actions, onUp, onPaste }: ShortcutsProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const latest = useRef({ onUp, onPaste });
  latest.current = { onUp, onPaste };

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
      if (
        target.isContentEditable ||
        target.closest("input:not([type=checkbox]), textarea, select, dialog, [role=menu]")
      )
        return;
      const { onUp, onPaste } = latest.current;
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      const goesUp = key === "ArrowUp" && event.altKey !== event.metaKey && !event.ctrlKey;
      if (plain && key === "?") setOpen(true);
      else if (plain && key === "/") document.querySelector<HTMLElement>(".filter__input")?.focus();
      else if (goesUp || (plain && key === "Backspace")) onUp?.();
      else if (onPaste && (event.ctrlKey || event.metaKey) && key.toLowerCase() === "v") onPaste();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  return open && <LazyShortcutSheet actions={actions} onClose={close} onGiveUp={close} />;
}
