import { useEffect, useRef, useState } from "react";
import type { FileAction } from "../../actions";
import { makePart } from "../part";

const ShortcutSheet = makePart(() => import("./shortcut-sheet"));

/** Keys that mean the same wherever the focus is: no name begins with them that anybody looks for. */
export const isShortcut = (key: string) => key === "?" || key === "/";

interface ShortcutsProps {
  actions: readonly FileAction[];
  onUp: (() => void) | null;
}

/** The keys of the whole screen, unless somebody is typing or something lies over it; `shortcut-list.ts` tells people of them. */
export function Shortcuts({ actions, onUp }: ShortcutsProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const latest = useRef(onUp);
  latest.current = onUp;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
      if (
        target.isContentEditable ||
        target.closest("input:not([type=checkbox]), textarea, select, dialog, [role=menu]")
      )
        return;
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      const goesUp = key === "ArrowUp" && event.altKey !== event.metaKey && !event.ctrlKey;
      if (plain && key === "?") setOpen(true);
      else if (plain && key === "/") document.querySelector<HTMLElement>(".filter__input")?.focus();
      else if (goesUp || (plain && key === "Backspace")) latest.current?.();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  return open && <ShortcutSheet actions={actions} onClose={close} onGiveUp={close} />;
}
