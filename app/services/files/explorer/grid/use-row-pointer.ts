import { type DragEvent, type FocusEvent, type MouseEvent, type PointerEvent, useRef } from "react";
import { LazyChangesPanel } from "../changes/lazy-changes";
import type { Point } from "../changes/use-changes";
import { rowId } from "../folder/folder-state";
import type { FileGridProps } from "./grid-props";
import type { ActiveRow } from "./use-active-row";

/** How long a finger must rest on a row to open its menu. */
const LONG_PRESS_MS = 500;

/** Event handlers of a grid: focus, context menu (also the menu key and a long press) and dragging rows. */
export function useRowTriggers({ rows, changes }: FileGridProps, active: ActiveRow) {
  const press = useRef<ReturnType<typeof setTimeout>>();
  const lift = () => clearTimeout(press.current);
  const at = ({ target }: { target: EventTarget }) => {
    const element = (target as Element).closest<HTMLElement>("[data-row]");
    return { element, row: rows[Number(element?.dataset.row)] };
  };
  const openMenu = (event: { target: EventTarget } & Point) => {
    const { row } = at(event);
    if (!row) return;
    lift();
    active.set(row);
    changes.ask("menu", changes.rowsFor(row), { at: event });
  };
  return {
    onFocus(event: FocusEvent) {
      const { row } = at(event);
      if (!row) return;
      LazyChangesPanel.preload();
      active.set(row);
    },
    onContextMenu(event: MouseEvent) {
      if ((event.target as Element).matches("input[type=text]")) return;
      event.preventDefault();
      openMenu(event);
    },
    onPointerDown(event: PointerEvent) {
      const { element } = at(event);
      if (!element) return;
      LazyChangesPanel.preload();
      // A moving finger scrolls.
      element.draggable = changes.possible && event.pointerType === "mouse";
      const { target, clientX, clientY } = event;
      if (event.pointerType === "touch")
        press.current = setTimeout(() => openMenu({ target, clientX, clientY }), LONG_PRESS_MS);
    },
    onPointerUp: lift,
    onPointerCancel: lift,
    onDragStart(event: DragEvent) {
      const { row } = at(event);
      if (!row) return;
      const dragged = changes.rowsFor(row);
      event.dataTransfer.effectAllowed = "copyMove";
      event.dataTransfer.setData("text/plain", dragged.map(({ name }) => name).join("\n"));
      changes.drag.start(dragged);
    },
  };
}

/** Handles a click on a row, its checkbox or one of its buttons. */
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
  // The second click of a double click may hit a row of the folder that the first one opened.
  if (event.detail > 1 && !onCheckbox) return;
  active.set(row);
  if (event.shiftKey) selection.extendTo(rowId(row));
  else if (onCheckbox || event.metaKey || event.ctrlKey) selection.toggle(rowId(row));
  else onOpen(row);
}
