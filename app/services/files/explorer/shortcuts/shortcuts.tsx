import { useEffect, useRef, useState } from "react";
import type { FileAction } from "../../actions";
import { lazyPanel } from "../lazy-panel";

const LazyShortcutSheet = lazyPanel(() => import("./shortcut-sheet"));

/** Keys that do the same wherever the focus is. Type-ahead leaves them out: hardly a name begins with them. */
export const isShortcut = (key: string) => key === "?" || key === "/";

/** The Latin letter of a key; on a keyboard of another script, the one in the same place on an English keyboard. */
const letterOf = ({ key, code }: KeyboardEvent) =>
  (/^[a-z]$/i.test(key) ? key : code.replace("Key", "")).toLowerCase();

interface ShortcutsProps {
  actions: readonly FileAction[];
  onUp: (() => void) | null;
  /** undefined while nothing can be on the clipboard */
  onPaste: (() => void) | undefined;
  /** undefined if the token allows no changes */
  onUndo: ((way: "undo" | "redo") => void) | undefined;
}

/** Keyboard shortcuts of the whole screen. They do nothing in a text field, a dialog or a menu. `shortcut-sheet.tsx` lists all shortcuts. */
export function Shortcuts({ actions, onUp, onPaste, onUndo }: ShortcutsProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const latest = useRef({ onUp, onPaste, onUndo });
  latest.current = { onUp, onPaste, onUndo };

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
      if (
        target.isContentEditable ||
        target.closest("input:not([type=checkbox]), textarea, select, dialog, [role=menu]")
      )
        return;
      const { onUp, onPaste, onUndo } = latest.current;
      const letter = (event.ctrlKey || event.metaKey) && !event.altKey ? letterOf(event) : "";
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      const goesUp = key === "ArrowUp" && event.altKey !== event.metaKey && !event.ctrlKey;
      if (plain && key === "?") setOpen(true);
      else if (plain && key === "/") document.querySelector<HTMLElement>(".filter__input")?.focus();
      else if (goesUp || (plain && key === "Backspace")) onUp?.();
      else if (onPaste && letter === "v") onPaste();
      else if (onUndo && (letter === "z" || letter === "y"))
        onUndo(letter === "y" || event.shiftKey ? "redo" : "undo");
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  return open && <LazyShortcutSheet actions={actions} onClose={close} onGiveUp={close} />;
}
