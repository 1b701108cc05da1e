import { rowId } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

/** Rows that have not appeared within this time are not shown any more: the person has moved on. */
const TIMEOUT_MS = 10_000;

interface HowToShow {
  /** takes selection and focus even from something else that the person has chosen meanwhile */
  force?: boolean;
  /** false: only the first row gets the focus */
  selects?: boolean;
  /** the folder that is open then; by default the one that is open now */
  folderPath?: string;
  /** called when the first row is on the screen */
  then?: () => void;
}

export type ShowRows = ReturnType<typeof useShowRows>;

/** Shows rows that a person has made, changed or looked at: selects them and no others, scrolls to the first one and focuses it. */
export function useShowRows({ path }: Pick<Folder, "path">, { rows, selection }: List) {
  const [wish, setWish] = useState<(HowToShow & { ids: ReadonlySet<string>; until: number }) | null>(null);
  /** the selection that a result may replace */
  const replaceable = useRef(selection.ids);

  // No dependencies: any rendering may be the one that adds the rows.
  useEffect(() => {
    if (wish === null) return;
    const { ids, force = false, selects = true, folderPath, until, then } = wish;
    const index = rows.findIndex((row) => ids.has(rowId(row)));
    if (index === -1 && folderPath === path && performance.now() < until) return;
    setWish(null);
    const isReplaceable = selection.ids.size === 0 || selection.ids === replaceable.current;
    if (index === -1 || folderPath !== path || !(force || isReplaceable)) return;
    if (selects) {
      replaceable.current = ids;
      selection.set(ids, true);
    }
    scrollToRow(index, rows.length, document.hasFocus() && (force || isFocusFree()), then);
  });

  return {
    /** Call it when the person asks for a change. Its result does not replace what they select afterwards. */
    keepSelection: () => {
      replaceable.current = selection.ids;
    },
    /** Shows rows as soon as they are in the list. */
    show: (ids: readonly string[], how: HowToShow = {}) =>
      setWish({ folderPath: path, ...how, ids: new Set(ids), until: performance.now() + TIMEOUT_MS }),
  };
}

/** Whether no control has the focus: it was removed, or returned the focus to the list as a whole. */
export function isFocusFree(): boolean {
  const holder = document.activeElement;
  return holder === null || holder === document.body || holder.matches(".main, [data-row]");
}

/** Number of animation frames that a scrolled list may take to render its rows. */
const MAX_FRAMES = 20;

/**
 * Scrolls a row into view.
 * @param index in the whole list of `count` rows
 * @param focus whether the row gets the focus
 * @param then called when the row is on the screen
 */
export function scrollToRow(
  index: number,
  count: number,
  focus: boolean,
  then?: () => void,
  frames = MAX_FRAMES,
): void {
  const list = document.querySelector<HTMLElement>(".list");
  const row = list?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (row) {
    if (focus) row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    then?.();
    return;
  }
  // Long lists are windowed: scroll to where the row will be rendered.
  if (list) list.scrollTop = (index / count) * list.scrollHeight - list.clientHeight / 2;
  if (frames > 0) requestAnimationFrame(() => scrollToRow(index, count, focus, then, frames - 1));
}
