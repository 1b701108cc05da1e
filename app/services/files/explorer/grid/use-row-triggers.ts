import { type DragEvent, type MouseEvent, type PointerEvent, useRef } from "react";
import { ChangesPart } from "../changes/part";
import type { Point } from "../changes/use-changes";
import type { FileGridProps } from "./grid-props";
import type { ActiveRow } from "./use-active-row";

/** So long a finger rests on a row to open its menu, milliseconds. */
const LONG_PRESS = 500;

/** The menu of a row, by the right button, the keyboard's menu key (browsers make one event of both) or a long press; and dragging it. */
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
    onContextMenu(event: MouseEvent) {
      if ((event.target as Element).matches("input[type=text]")) return;
      event.preventDefault();
      openMenu(event);
    },
    onPointerDown(event: PointerEvent) {
      const { element } = at(event);
      if (!element) return;
      ChangesPart.prepare();
      // A finger that moves scrolls.
      element.draggable = changes.possible && event.pointerType === "mouse";
      const { target, clientX, clientY } = event;
      if (event.pointerType === "touch")
        press.current = setTimeout(() => openMenu({ target, clientX, clientY }), LONG_PRESS);
    },
    onPointerUp: lift,
    onPointerCancel: lift,
    onDragStart(event: DragEvent) {
      const { row } = at(event);
      if (!row) return;
      const dragged = changes.rowsFor(row);
      event.dataTransfer.effectAllowed = "copyMove";
      event.dataTransfer.setData("text/plain", dragged.map(({ name }) => name).join("\n"));
      changes.startDrag(dragged);
    },
  };
}
