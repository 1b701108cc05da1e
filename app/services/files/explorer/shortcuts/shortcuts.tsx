import { useEffect, useRef, useState } from "react";
import type { FileAction } from "../../actions";
import type { Command } from "../changes/use-changes";
import { lazyPanel } from "../lazy-panel";
import { focusSearchBox } from "../search/search-box";

const LazyShortcutSheet = lazyPanel(() => import("./shortcut-sheet"));

/** Keys that do the same wherever the focus is. Type-ahead leaves them out: hardly a name begins with them. */
export const isShortcut = (key: string) => key === "?" || key === "/";

const commands: Record<string, Command> = { F2: "rename", Delete: "delete" };
/** With Ctrl or ⌘. On a Mac, ⌘ Backspace deletes. */
const withCommand: Record<string, Command> = { x: "cut", c: "clip", backspace: "delete" };

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
  /** @param focused index of the row that has the focus; undefined if none has it */
  onCommand(command: Command, focused: number | undefined): void;
  onSelectAll(): void;
  onEscape(): void;
}

/** Keyboard shortcuts of the whole screen. They do nothing in a text field, a dialog or a menu. `shortcut-sheet.tsx` lists all shortcuts. */
export function Shortcuts({ actions, ...events }: ShortcutsProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const latest = useRef(events);
  latest.current = events;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
      if (
        target.isContentEditable ||
        target.closest("input:not([type=checkbox]), textarea, select, dialog, [role=menu]")
      )
        return;
      const { onUp, onPaste, onUndo, onCommand, onSelectAll, onEscape } = latest.current;
      const letter = (event.ctrlKey || event.metaKey) && !event.altKey ? letterOf(event) : "";
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      const goesUp = key === "ArrowUp" && event.altKey !== event.metaKey && !event.ctrlKey;
      const command = plain ? commands[key] : withCommand[letter];
      const row = target.closest<HTMLElement>("[data-row]");
      // Selected text is copied by the browser.
      if ((letter === "x" || letter === "c") && document.getSelection()?.isCollapsed === false) return;
      // A key that is held down does it once: otherwise it would go on with what comes next.
      if (event.repeat && (command || letter === "v" || letter === "z" || letter === "y"))
        event.preventDefault();
      else if (command) onCommand(command, row ? Number(row.dataset.row) : undefined);
      else if (letter === "a") onSelectAll();
      else if (plain && key === "Escape") onEscape();
      else if (plain && key === "?") setOpen(true);
      else if (plain && key === "/") focusSearchBox();
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
