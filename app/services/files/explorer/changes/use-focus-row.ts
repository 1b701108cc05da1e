import { useCallback, useEffect, useRef } from "react";
import { type Row, rowId } from "../folder/folder-state";

/** A row that does not come within this time, or cannot have the focus, is not waited for, milliseconds: the person has gone on. */
const PATIENCE = 3_000;
/** Frames that a scrolled list may take to show its rows. */
const MOST_FRAMES = 20;

interface Wish {
  id: string;
  /** wherever the focus is; otherwise it stays with whoever has it */
  force: boolean;
  until: number;
}

/** Gives the focus to a row as soon as it is in the list; to the list as a whole where there is no row left to have it. */
export function useFocusRow(rows: readonly Row[]): (id: string | undefined, force?: boolean) => void {
  const wish = useRef<Wish | null>(null);
  // After every rendering: any of them may be the one that brings the row.
  useEffect(() => {
    if (wish.current === null) return;
    const { id, force, until } = wish.current;
    const index = rows.findIndex((row) => rowId(row) === id);
    const isDue = index !== -1 && (force || isFree());
    if (!isDue && performance.now() < until) return;
    wish.current = null;
    if (isDue) focusRow(index, rows.length, MOST_FRAMES);
  });
  return useCallback((id, force = false) => {
    if (id !== undefined) wish.current = { id, force, until: performance.now() + PATIENCE };
    else if (isFree()) document.querySelector<HTMLElement>(".main")?.focus({ preventScroll: true });
  }, []);
}

/** Nobody has the focus: what had it is gone, or gave it back to the list as a whole. */
function isFree(): boolean {
  const holder = document.activeElement;
  return holder === null || holder === document.body || holder.matches(".main, [data-row]");
}

function focusRow(index: number, count: number, frames: number): void {
  const list = document.querySelector<HTMLElement>(".list");
  const row = list?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (row) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    return;
  }
  // Of a long list only the part that can be seen is in the document.
  if (list) list.scrollTop = (index / count) * list.scrollHeight - list.clientHeight / 2;
  if (frames > 0) requestAnimationFrame(() => focusRow(index, count, frames - 1));
}
