import { type RefObject, useRef, useState } from "react";
import { type Row, rowId } from "../folder/folder-state";
import { useLayoutEffectInBrowser } from "./use-layout-effect";

export interface ActiveRow {
  /** in the whole list, from 0 */
  index: number;
  set(row: Row): void;
  setAndFocus(row: Row): void;
}

/**
 * The one row that is in the tab order. Kept by id, so that sorting and filtering leave it alone.
 * @param focus the row that has the focus when the list appears: an id, `true` for the first, false for none
 */
export function useActiveRow(list: RefObject<HTMLElement>, rows: Row[], focus: string | boolean): ActiveRow {
  const [id, setId] = useState(typeof focus === "string" ? focus : null);
  const wantsFocus = useRef(focus !== false);
  const index = Math.max(
    rows.findIndex((row) => rowId(row) === id),
    0,
  );

  useLayoutEffectInBrowser(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    const holder = document.activeElement;
    // A person who has gone elsewhere meanwhile, to the filter perhaps, keeps the focus there.
    if (!list.current || !(holder?.contains(list.current) || list.current.contains(holder))) return;
    const row = list.current.querySelector<HTMLElement>(`[data-row="${index}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  });

  const set = (row: Row) => setId(rowId(row));
  const setAndFocus = (row: Row) => {
    wantsFocus.current = true;
    set(row);
  };
  return { index, set, setAndFocus };
}
