import { type RefObject, useRef, useState } from "react";
import { type Row, rowId } from "../folder/folder-state";
import { useLayoutEffectInBrowser } from "./use-layout-effect";

export interface ActiveRow {
  /** in the whole list, from 0 */
  index: number;
  set(row: Row): void;
  setAndFocus(row: Row): void;
  /** Before rows are made anew, though they stay what they are: one that has the focus keeps it, and stays in view if it was. */
  keepFocus(): void;
}

/**
 * The one row that is in the tab order. Kept by id, so that sorting and filtering leave it alone.
 * @param focus the row that has the focus when the list appears: an id, `true` for the first, false for none
 */
export function useActiveRow(list: RefObject<HTMLElement>, rows: Row[], focus: string | boolean): ActiveRow {
  const [id, setId] = useState(typeof focus === "string" ? focus : null);
  const wanted = useRef<"in-view" | "anywhere" | null>(focus === false ? null : "in-view");
  const index = Math.max(
    rows.findIndex((row) => rowId(row) === id),
    0,
  );

  useLayoutEffectInBrowser(() => {
    const where = wanted.current;
    if (where === null) return;
    wanted.current = null;
    const holder = document.activeElement;
    // A person who has gone elsewhere meanwhile, to the filter perhaps, keeps the focus there.
    if (!list.current || !(holder?.contains(list.current) || list.current.contains(holder))) return;
    const row = list.current.querySelector<HTMLElement>(`[data-row="${index}"]`);
    row?.focus({ preventScroll: true });
    if (where === "in-view") row?.scrollIntoView({ block: "nearest" });
  });

  const set = (row: Row) => setId(rowId(row));
  const setAndFocus = (row: Row) => {
    wanted.current = "in-view";
    set(row);
  };
  const keepFocus = () => {
    const holder = document.activeElement;
    const row = holder instanceof HTMLElement ? rows[Number(holder.dataset.row ?? -1)] : undefined;
    if (!row || !list.current?.contains(holder)) return;
    wanted.current = isInView(holder as HTMLElement, list.current) ? "in-view" : "anywhere";
    set(row);
  };
  return { index, set, setAndFocus, keepFocus };
}

function isInView(row: HTMLElement, list: HTMLElement): boolean {
  const [inner, outer] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
  return inner.bottom > outer.top && inner.top < outer.bottom;
}
