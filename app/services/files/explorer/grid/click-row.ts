import type { MouseEvent } from "react";
import { rowId } from "../folder/folder-state";
import type { FileGridProps } from "./grid-props";
import type { ActiveRow } from "./use-active-row";

/** What a click in the grid does: on a row, its checkbox or one of its buttons. */
export function clickRow(
  event: MouseEvent,
  { rows, selection, onOpen, onDownload, onWhere, changes }: FileGridProps,
  active: ActiveRow,
): void {
  if (!(event.target instanceof Element)) return;
  const row = rows[Number(event.target.closest<HTMLElement>("[data-row]")?.dataset.row)];
  if (!row) return;
  const onCheckbox = event.target.matches("input");
  const button = event.target.closest("button");
  if (button?.matches("[aria-haspopup]")) {
    const { left, bottom } = button.getBoundingClientRect();
    active.set(row);
    changes.ask("menu", changes.rowsFor(row), { at: { clientX: left, clientY: bottom } });
    return;
  }
  if (button) {
    if (button.matches(".row__where")) onWhere(row);
    else onDownload(row);
    return;
  }
  // The second half of a double click may be on a row of the folder that the first half has opened.
  if (event.detail > 1 && !onCheckbox) return;
  active.set(row);
  if (event.shiftKey) selection.extendTo(rowId(row));
  else if (onCheckbox || event.metaKey || event.ctrlKey) selection.toggle(rowId(row));
  else onOpen(row);
}
