import { type RefObject, useRef, useState } from "react";
import { type Row, rowId } from "../folder/folder-state";
import { useLayoutEffectInBrowser } from "../use-layout-effect-in-browser";

/** Shorter lists are rendered completely, like the server's first page. */
const MAX_ROWS_UNWINDOWED = 150;
/** Rows rendered above and below the visible ones; the window moves in steps of half of it. */
const MARGIN_ROWS = 16;

interface RowWindow {
  first: number;
  /** exclusive */
  end: number;
}

/** The window before the list is measured. */
const BEFORE_MEASURING: RowWindow = { first: 0, end: 60 };

/** Ids of rows, to find the first visible row again; `line` counts from the top. */
interface RowIds {
  idAt(line: number): string | undefined;
  /** -1 if it is gone */
  lineOf(id: string): number;
}

/** @param perLine number of columns */
export const rowIds = (rows: readonly Row[], perLine = 1): RowIds => ({
  idAt: (line) => {
    const row = rows[line * perLine];
    return row && rowId(row);
  },
  lineOf: (id) => Math.floor(rows.findIndex((row) => rowId(row) === id) / perLine),
});

/**
 * Which of `count` rows, each `--row-height` high, to render inside `scroller`; null for all. The first visible row stays in place when
 * rows above it appear or disappear, and when the row height changes.
 */
export function useRowWindow(
  scroller: RefObject<HTMLElement>,
  count: number,
  ids?: RowIds,
): RowWindow | null {
  const [seen, setSeen] = useState<RowWindow | null>(null);
  const windowed = count > MAX_ROWS_UNWINDOWED;
  const latest = useRef(ids);
  latest.current = ids;
  /** `place`: scroll position in rows; `id`: of the first visible row */
  const kept = useRef<{ place: number; id?: string; rowHeight: number }>({ place: 0, rowHeight: 0 });

  // `count`: new rows may be above the first visible one.
  useLayoutEffectInBrowser(() => {
    const element = scroller.current;
    if (!element || !windowed) return setSeen(null);
    // The browser's scroll anchoring would move the list a second time.
    element.style.overflowAnchor = "none";
    const look = () => {
      const before = kept.current;
      const rowHeight = element.querySelector<HTMLElement>("[data-row]")?.offsetHeight || 48;
      if (before.rowHeight > 0 && before.rowHeight !== rowHeight)
        element.scrollTop = before.place * rowHeight;
      const place = element.scrollTop / rowHeight;
      kept.current = { place, id: latest.current?.idAt(Math.floor(place)), rowHeight };
      const step = MARGIN_ROWS / 2;
      const top = Math.floor(place / step) * step;
      const visible = Math.ceil(element.clientHeight / rowHeight) + step;
      const first = Math.max(top - MARGIN_ROWS, 0);
      const end = top + visible + MARGIN_ROWS;
      setSeen((before) => (before?.first === first && before.end === end ? before : { first, end }));
    };
    const { place, id, rowHeight } = kept.current;
    const line = place > 0 && id !== undefined ? (latest.current?.lineOf(id) ?? -1) : -1;
    if (line !== -1) element.scrollTop = (line + (place % 1)) * rowHeight;
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    // Its height follows the row height.
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => {
      element.style.overflowAnchor = "";
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [scroller, windowed, count]);

  return windowed ? (seen ?? BEFORE_MEASURING) : null;
}

/** `gap`: height in CSS, computed from `--row-height`, so that rows and gaps change at the same moment. */
type RowRange = { gap: string; key: string } | { index: number };

/** The rows to render and the gaps between them. The active row is always included: it may have the focus. */
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
