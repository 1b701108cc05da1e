import { type Row, rowId } from "platform-embed-element/client";
import { type KeyboardEvent, type RefObject, useRef, useState } from "react";
import { isShortcut } from "../../screen/key-names";
import { sideways } from "../../screen/language";
import { TypeAhead } from "../../screen/type-ahead";
import { useLayoutEffectInBrowser } from "../../screen/use-layout-effect-in-browser";
import type { FileGridProps } from "./grid-props";
import type { ActiveRow } from "./use-active-row";

/** Keys that move, open and select while a row has the focus. Shift with a moving key extends the selection. `Shortcuts` has the others. */
export function useGridKeyboard(
  list: RefObject<HTMLElement>,
  {
    rows,
    selection,
    mayOpen,
    onOpen,
    picker,
    onUp,
    onAbove,
    onDetails,
    more,
    isLoading,
    onLoadAll,
    rowsFor,
  }: FileGridProps,
  active: ActiveRow,
  /** number of columns; 1 in a list */
  perLine: number,
): (event: KeyboardEvent) => void {
  const [typing] = useState(() => new TypeAhead());

  const moveTo = (from: Row | undefined, index: number, extend: boolean) => {
    const target = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!target) return;
    if (extend) {
      if (selection.ids.size === 0 && from) selection.extendTo(rowId(from));
      selection.extendTo(rowId(target));
    } else if (selection.followsFocus) selection.only(rowId(target));
    active.setAndFocus(target);
  };
  /** End leads to the last row so far, loads the pages that are left, and leads to the last of all when they are there. */
  const toEnd = useRef<{ reached: string; extend: boolean } | null>(null);
  // A layout effect: in a later one, another rendering could come between, and take the focus to the row before.
  useLayoutEffectInBrowser(() => {
    const wanted = toEnd.current;
    if (!wanted || isLoading) return;
    toEnd.current = null;
    const here = rows[active.index];
    // The person may have gone elsewhere meanwhile.
    if (here && rowId(here) === wanted.reached) moveTo(here, rows.length - 1, wanted.extend);
  });

  return (event) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.row === undefined) return;
    // Not the active row: assistive technology can focus any row.
    const index = Number(event.target.dataset.row);
    const row = rows[index];
    const command = event.ctrlKey || event.metaKey;
    // Leave shortcuts of the browser and of the whole screen alone.
    const wantsDetails = event.altKey && event.key === "Enter";
    if ((event.altKey && !wantsDetails) || (event.metaKey && event.key === "ArrowUp")) return;
    const rowsOnScreen = Math.floor((list.current?.clientHeight ?? 0) / event.target.offsetHeight);
    const page = Math.max(rowsOnScreen - 1, 1) * perLine;
    const target = targetOf(event.key, index, rows.length - 1, page, perLine);
    const last = rows.at(-1);
    toEnd.current =
      event.key === "End" && more && last ? { reached: rowId(last), extend: event.shiftKey } : null;
    if (event.key === "End") onLoadAll();
    if (onAbove && event.key === "ArrowUp" && index < perLine && !event.shiftKey) onAbove();
    else if (target !== undefined) moveTo(row, target, event.shiftKey);
    else if (wantsDetails && row) onDetails(row);
    else if (event.key === "Enter" && picker && row?.type === "file") picker.onChoose(rowsFor(row));
    else if (event.key === "Enter" && row && mayOpen(row)) onOpen(row);
    else if (!command && !isShortcut(event.key) && typing.takes(event.key, index)) {
      const found = typing.find(rows, event.key, index);
      if (found !== -1) moveTo(row, found, false);
    } else if (event.key === " " && row) selection.toggle(rowId(row));
    else if (event.key === sideways().up) onUp();
    else if (event.key === sideways().down && row?.type === "folder") onOpen(row);
    else return;
    event.preventDefault();
  };
}

/** The index that `key` moves to, possibly out of range; undefined for other keys. */
function targetOf(
  key: string,
  from: number,
  last: number,
  page: number,
  perLine: number,
): number | undefined {
  const targets: Record<string, number> = {
    // Arrow keys do not leave the first or last line.
    ArrowDown: Math.floor(from / perLine) === Math.floor(last / perLine) ? from : from + perLine,
    ArrowUp: from < perLine ? from : from - perLine,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: last,
  };
  // Among tiles, the horizontal arrow keys move by one.
  if (perLine > 1) {
    targets[sideways().down] = from + 1;
    targets[sideways().up] = from - 1;
  }
  return targets[key];
}
