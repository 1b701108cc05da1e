import { type RefObject, useEffect, useState } from "react";

/** Up to here every row is rendered: simplest, and what the server sends. */
const ALL_ROWS_UP_TO = 150;
/** Rows kept ready above and below what can be seen; the window moves in steps of half of it. */
const MARGIN = 16;

export interface RowWindow {
  first: number;
  /** exclusive */
  end: number;
  /** CSS pixels */
  rowHeight: number;
}

/** Before the list has been measured. */
const FIRST_LOOK: RowWindow = { first: 0, end: 60, rowHeight: 48 };

/** Which of `count` equally high rows to render inside `scroller`; null when all of them. */
export function useRowWindow(scroller: RefObject<HTMLElement>, count: number): RowWindow | null {
  const [seen, setSeen] = useState<RowWindow | null>(null);
  const windowed = count > ALL_ROWS_UP_TO;

  useEffect(() => {
    const element = scroller.current;
    if (!element || !windowed) return setSeen(null);
    let known = 0;
    const look = () => {
      const rowHeight = element.querySelector<HTMLElement>("[data-row]")?.offsetHeight || 48;
      // Another density, or a narrower screen: the same rows stay in view.
      if (known > 0 && rowHeight !== known) element.scrollTop *= rowHeight / known;
      known = rowHeight;
      const step = MARGIN / 2;
      const top = Math.floor(element.scrollTop / rowHeight / step) * step;
      const visible = Math.ceil(element.clientHeight / rowHeight) + step;
      const next = { first: Math.max(top - MARGIN, 0), end: top + visible + MARGIN, rowHeight };
      setSeen((before) =>
        before?.first === next.first && before.end === next.end && before.rowHeight === rowHeight
          ? before
          : next,
      );
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    // Its height changes with that of its rows.
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [scroller, windowed]);

  return windowed ? (seen ?? FIRST_LOOK) : null;
}

export type RowRange = { gap: number; key: string } | { index: number };

/** The rows to render and the heights (CSS pixels) of the gaps between them. The active row is always among them: it may have the focus. */
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
    if (index > at) result.push({ gap: (index - at) * window.rowHeight, key: `gap-${gaps++}` });
    if (index < count) result.push({ index });
    at = index + 1;
  }
  return result;
}
