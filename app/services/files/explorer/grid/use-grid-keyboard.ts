import type { KeyboardEvent, RefObject } from "react";
import { rowId } from "../folder/folder-state";
import type { FileGridProps } from "./grid-props";
import type { ActiveRow } from "./use-active-row";
import { useTypeAhead } from "./use-type-ahead";

/** What the keys do while a row has the focus; Shift and a key that moves selects on the way. */
export function useGridKeyboard(
  list: RefObject<HTMLElement>,
  { rows, selection, onOpen, onUp }: FileGridProps,
  active: ActiveRow,
): (event: KeyboardEvent) => void {
  const findTyped = useTypeAhead(rows);
  const row = rows[active.index];

  const moveTo = (index: number, extend: boolean) => {
    const target = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!target) return;
    if (extend) {
      if (selection.ids.size === 0 && row) selection.extendTo(rowId(row));
      selection.extendTo(rowId(target));
    }
    active.setAndFocus(target);
  };
  const typeAhead = (letter: string) => {
    const found = findTyped(letter, active.index);
    if (found !== -1) moveTo(found, false);
  };

  return (event) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.row === undefined) return;
    const rowsOnScreen = Math.floor((list.current?.clientHeight ?? 0) / event.target.offsetHeight);
    const target = targetOf(event.key, active.index, rows.length - 1, Math.max(rowsOnScreen - 1, 1));
    const command = event.ctrlKey || event.metaKey;
    if (target !== undefined) moveTo(target, event.shiftKey);
    else if (event.key === "Enter" && row) onOpen(row);
    else if (event.key === " " && row) selection.toggle(rowId(row));
    else if (event.key === "Backspace") onUp();
    else if (event.key === "Escape" && selection.ids.size > 0) selection.clear();
    else if (command && event.key.toLowerCase() === "a") selection.all();
    else if (event.key.length === 1 && !command && !event.altKey) typeAhead(event.key);
    else return;
    event.preventDefault();
  };
}

/** The index that `key` moves to, perhaps beyond either end; undefined when it moves nowhere. */
function targetOf(key: string, from: number, last: number, page: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: last,
  };
  return targets[key];
}
