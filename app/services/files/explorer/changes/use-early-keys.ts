import { type Dispatch, type SetStateAction, useEffect, useRef } from "react";

/** What has been typed for a field that is not there yet. */
export interface Typed {
  text: string;
  /** and confirmed */
  isEntered: boolean;
}

/**
 * Keys that belong to code which may still be on its way: a new name, typed right behind F2, and what is pasted right behind what was
 * copied. They wait with what has been asked.
 */
export function useEarlyKeys<One extends { command: string; typed?: Typed }>(
  asked: readonly One[] | null,
  setAsked: Dispatch<SetStateAction<readonly One[] | null>>,
  paste: () => void,
): void {
  const latest = useRef({ asked, paste });
  latest.current = { asked, paste };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { asked, paste } = latest.current;
      const { key, target } = event;
      if (asked === null || event.isComposing || event.altKey || !(target instanceof Element)) return;
      if (target.closest("input[type=text], dialog")) return;
      const renaming = asked.find(({ command }) => command === "rename");
      if (event.ctrlKey || event.metaKey) {
        if (key.toLowerCase() !== "v") return;
        paste();
      } else if (renaming && (key.length === 1 || /^(Enter|Escape|Backspace)$/.test(key))) {
        const typed = typeKey(renaming.typed, key);
        setAsked(
          (all) =>
            all?.flatMap((one) => (one !== renaming ? [one] : typed ? [{ ...one, typed }] : [])) ?? null,
        );
      } else return;
      event.preventDefault();
      // The list would go to a row by its letters.
      event.stopImmediatePropagation();
    };
    addEventListener("keydown", onKeyDown, { capture: true });
    return () => removeEventListener("keydown", onKeyDown, { capture: true });
  }, [setAsked]);
}

/** @returns null when there is nothing to be renamed any more */
function typeKey({ text, isEntered }: Typed = { text: "", isEntered: false }, key: string): Typed | null {
  if (key === "Escape") return null;
  if (isEntered || key === "Enter") return { text, isEntered: true };
  return { text: key === "Backspace" ? text.slice(0, -1) : text + key, isEntered: false };
}
