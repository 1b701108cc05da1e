import { type Row, rowId } from "platform-embed-element/client";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useLayoutEffectInBrowser } from "../../screen/use-layout-effect-in-browser";

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
export const rowIds = (rows: readonly Row[], perLine: number): RowIds => ({
  idAt: (line) => {
    const row = rows[line * perLine];
    return row && rowId(row);
  },
  lineOf: (id) => Math.floor(rows.findIndex((row) => rowId(row) === id) / perLine),
});

interface RowWindowOptions {
  ids?: RowIds;
  /** changes when the person puts the rows in another order: then the list scrolls to its top */
  order?: unknown;
  /** More rows are being loaded. The first row stays in place, too, once the person has pressed a key or the mouse on a row. */
  isLoading?: boolean;
}

/**
 * Which of `count` rows, each `--row-height` high, to render inside `scroller`; null for all. The first visible row stays in place when
 * rows above it appear or disappear, and when the row height changes. A list at its top stays there.
 */
export function useRowWindow(
  scroller: RefObject<HTMLElement>,
  count: number,
  options: RowWindowOptions = {},
): RowWindow | null {
  const [seen, setSeen] = useState<RowWindow | null>(null);
  const windowed = count > MAX_ROWS_UNWINDOWED;
  const latest = useRef(options);
  latest.current = options;
  /** `place`: scroll position in rows; `id`: of the first visible row */
  const kept = useRef<{ place: number; id?: string; rowHeight: number }>({ place: 0, rowHeight: 0 });
  const isTouched = useRef(false);
  /** when the rows before these were rendered; the last page comes and ends the loading at once */
  const wasLoading = useRef(false);

  const look = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const before = kept.current;
    const rowHeight = element.querySelector<HTMLElement>("[data-row]")?.offsetHeight || 48;
    if (before.rowHeight > 0 && before.rowHeight !== rowHeight) element.scrollTop = before.place * rowHeight;
    const place = element.scrollTop / rowHeight;
    kept.current = { place, id: latest.current.ids?.idAt(Math.floor(place)), rowHeight };
    const step = MARGIN_ROWS / 2;
    const top = Math.floor(place / step) * step;
    const visible = Math.ceil(element.clientHeight / rowHeight) + step;
    const first = Math.max(top - MARGIN_ROWS, 0);
    const end = top + visible + MARGIN_ROWS;
    setSeen((before) => (before?.first === first && before.end === end ? before : { first, end }));
  }, [scroller]);

  // Another order has another first row.
  useLayoutEffectInBrowser(() => {
    isTouched.current = false;
    if (scroller.current) scroller.current.scrollTop = 0;
    look();
  }, [scroller, look, options.order]);

  // `count`: new rows may be above the first visible one.
  useLayoutEffectInBrowser(() => {
    const { place, id, rowHeight } = kept.current;
    const { ids } = latest.current;
    const isKept = place > 0 || (wasLoading.current && isTouched.current);
    const line = isKept && id !== undefined ? (ids?.lineOf(id) ?? -1) : -1;
    if (line !== -1 && scroller.current) scroller.current.scrollTop = (line + (place % 1)) * rowHeight;
    look();
  }, [scroller, look, count]);

  useEffect(() => {
    wasLoading.current = options.isLoading ?? false;
  });

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // The browser's scroll anchoring would move the list a second time.
    element.style.overflowAnchor = "none";
    const stop = new AbortController();
    const { signal } = stop;
    const touch = ({ target }: Event) => {
      if (target instanceof Element && target.closest("[data-row]")) isTouched.current = true;
    };
    element.addEventListener("keydown", touch, { signal });
    element.addEventListener("pointerdown", touch, { signal });
    element.addEventListener("scroll", look, { passive: true, signal });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    // Its height follows the row height.
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => {
      element.style.overflowAnchor = "";
      stop.abort();
      observer.disconnect();
    };
  }, [scroller, look]);

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
