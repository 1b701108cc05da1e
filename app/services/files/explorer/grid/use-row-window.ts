import { type RefObject, useRef, useState } from "react";
import { type Row, rowId } from "../folder/folder-state";
import { useLayoutEffectInBrowser } from "./use-layout-effect";

/** Up to here every row is rendered: simplest, and what the server sends. */
const ALL_ROWS_UP_TO = 150;
/** Rows kept ready above and below what can be seen; the window moves in steps of half of it. */
const MARGIN = 16;

export interface RowWindow {
  first: number;
  /** exclusive */
  end: number;
}

/** Before the list has been measured. */
const FIRST_LOOK: RowWindow = { first: 0, end: 60 };

/** What the rows show, by which the one that is first in view is known again; `line` counts rows from the top. */
export interface RowIds {
  idAt(line: number): string | undefined;
  /** -1 for what is not there any more */
  lineOf(id: string): number;
}

/** @param perLine how many stand beside each other */
export const rowIds = (rows: readonly Row[], perLine = 1): RowIds => ({
  idAt: (line) => {
    const row = rows[line * perLine];
    return row && rowId(row);
  },
  lineOf: (id) => Math.floor(rows.findIndex((row) => rowId(row) === id) / perLine),
});

/**
 * Which of `count` rows, each `--row-height` high, to render inside `scroller`; null when all of them. What is first in view stays so when
 * rows come or go above it, and when all become higher or lower.
 */
export function useRowWindow(
  scroller: RefObject<HTMLElement>,
  count: number,
  ids?: RowIds,
): RowWindow | null {
  const [seen, setSeen] = useState<RowWindow | null>(null);
  const windowed = count > ALL_ROWS_UP_TO;
  const latest = useRef(ids);
  latest.current = ids;
  /** `place`: what is first in view, in rows from the top; `id` is of what is there */
  const kept = useRef<{ place: number; id?: string; rowHeight: number }>({ place: 0, rowHeight: 0 });

  // Also when the number of rows changes: others may be above the one that is first in view.
  useLayoutEffectInBrowser(() => {
    const element = scroller.current;
    if (!element || !windowed) return setSeen(null);
    // Browsers hold on to what they can see, by rules of their own: rows that are put in while one scrolls would move the list once more.
    element.style.overflowAnchor = "none";
    const look = () => {
      const before = kept.current;
      const rowHeight = element.querySelector<HTMLElement>("[data-row]")?.offsetHeight || 48;
      if (before.rowHeight > 0 && before.rowHeight !== rowHeight)
        element.scrollTop = before.place * rowHeight;
      const place = element.scrollTop / rowHeight;
      kept.current = { place, id: latest.current?.idAt(Math.floor(place)), rowHeight };
      const step = MARGIN / 2;
      const top = Math.floor(place / step) * step;
      const visible = Math.ceil(element.clientHeight / rowHeight) + step;
      const first = Math.max(top - MARGIN, 0);
      const end = top + visible + MARGIN;
      setSeen((before) => (before?.first === first && before.end === end ? before : { first, end }));
    };
    const { place, id, rowHeight } = kept.current;
    const line = place > 0 && id !== undefined ? (latest.current?.lineOf(id) ?? -1) : -1;
    if (line !== -1) element.scrollTop = (line + (place % 1)) * rowHeight;
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    // Its height changes with that of its rows.
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => {
      element.style.overflowAnchor = "";
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [scroller, windowed, count]);

  return windowed ? (seen ?? FIRST_LOOK) : null;
}

/** `gap`: its height, in CSS. It follows that of the rows at once: what is in view would else move when the gap comes later. */
export type RowRange = { gap: string; key: string } | { index: number };

/** The rows to render and the gaps between them. The active row is always among them: it may have the focus. */
export function rowRanges(window: RowWindow | null, count: number, active: number): RowRange[] {
  if (window === null) return Array.from({ length: count }, (_, index) => ({ index }));
  const indexes: number[] = [];
  for (let index = Math.min(window.first, count); index < Math.min(window.end, count); index++)
    indexes.push(index);
  if (active >= 0 && active < window.first) indexes.unshift(active);
  else if (active >= window.end && active < count) indexes.push(active);

  const result: RowRange[] = [];
  let at = 0;
  let gaps = 0;
  for (const index of [...indexes, count]) {
    if (index > at) result.push({ gap: `calc(${index - at} * var(--row-height))`, key: `gap-${gaps++}` });
    if (index < count) result.push({ index });
    at = index + 1;
  }
  return result;
}
