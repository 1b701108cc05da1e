import { type Row, rowId } from "platform-embed-element/client";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useLayoutEffectInBrowser } from "../../screen/use-layout-effect-in-browser";

export interface ActiveRow {
  /** in the whole list, from 0 */
  index: number;
  set(row: Row): void;
  setAndFocus(row: Row): void;
  /** Call it before rows are rendered in other elements: the focused row keeps the focus, and stays in view if it was. */
  keepFocus(): void;
}

/**
 * The row that is in the tab order, by id, so that sorting and filtering keep it.
 * @param focus the row that gets the focus when the list appears: an id, `true` for the first, false for none
 */
export function useActiveRow(list: RefObject<HTMLElement>, rows: Row[], focus: string | boolean): ActiveRow {
  const [id, setId] = useState(typeof focus === "string" ? focus : null);
  const wanted = useRef<"in-view" | "anywhere" | null>(focus === false ? null : "in-view");
  const index = useMemo(
    () =>
      Math.max(
        rows.findIndex((row) => rowId(row) === id),
        0,
      ),
    [rows, id],
  );

  useLayoutEffectInBrowser(() => {
    const where = wanted.current;
    if (where === null) return;
    wanted.current = null;
    const holder = document.activeElement;
    // The person may have moved the focus elsewhere, perhaps to the search field.
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

/** Keeps the focused row in view when the list becomes lower because a bar appears below it. */
export function useVisibleFocus(list: RefObject<HTMLElement>): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      const before = height;
      height = element.clientHeight;
      const row = element.contains(document.activeElement) && document.activeElement?.closest("[data-row]");
      if (!row) return;
      const end = row.getBoundingClientRect().bottom - element.getBoundingClientRect().top;
      // Not a row that the person had scrolled out of view.
      if (end > height && end <= before + 1) row.scrollIntoView({ block: "nearest" });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
}
