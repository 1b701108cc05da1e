import { type Row, rowId } from "platform-embed-element/client";
import { type DragEvent, type FocusEvent, type MouseEvent, type PointerEvent, useRef } from "react";
import { type Point, pointBelow } from "../../screen/menu";
import type { FileGridProps } from "./grid-props";
import type { ActiveRow } from "./use-active-row";

/** How long a finger must rest on a row to select it. */
const LONG_PRESS_MS = 500;

/**
 * Event handlers of a grid for the mouse, touch and dragging. With a mouse, a click selects and a double click opens; in the list, a
 * click on the name opens at once. By touch, a tap opens and a long press selects; while rows are selected, a tap selects, too. A tap
 * beside the field for a new name only leaves the field.
 */
export function useRowPointer(
  {
    rows,
    selection,
    mayOpen,
    onOpen,
    picker,
    onRowButton,
    onWhere,
    rowsFor,
    onMenu,
    onApproach,
    isDraggable,
    onDrag,
  }: FileGridProps,
  active: ActiveRow,
) {
  /** The last press. A click event does not name its device in every browser. */
  const press = useRef({ device: "", isLong: false, leavesField: false, timer: 0 });
  /** the row of the last click: the second click of a double click may hit a row of another folder */
  const clicked = useRef<string | null>(null);
  const lift = () => clearTimeout(press.current.timer);
  const rowAt = ({ target }: { target: EventTarget }): Row | undefined =>
    rows[Number((target as Element).closest<HTMLElement>("[data-row]")?.dataset.row)];
  const selectByLongPress = (row: Row) => {
    lift();
    if (press.current.isLong) return;
    press.current.isLong = true;
    active.set(row);
    // A file that was only looked at is selected, too, but was not chosen.
    if (selection.followsFocus) selection.clear();
    selection.toggle(rowId(row));
  };
  /** What a menu or a drag of the row acts on. It is selected, so that the person sees it. */
  const selectedWith = (row: Row): Row[] => {
    if (selection.isResult || !selection.ids.has(rowId(row))) selection.only(rowId(row));
    return rowsFor(row);
  };
  const openMenu = (row: Row, at: Point) => {
    active.set(row);
    onMenu(selectedWith(row), at);
  };
  const clickButton = (button: Element, row: Row) => {
    if (button.matches("[aria-haspopup]")) openMenu(row, pointBelow(button));
    else if (button.matches(".row__where")) onWhere(row);
    else onRowButton(row);
  };

  return {
    onFocus(event: FocusEvent) {
      const row = rowAt(event);
      if (!row) return;
      onApproach();
      active.set(row);
    },
    /** Also the menu key, and a long press on Android. */
    onContextMenu(event: MouseEvent) {
      const row = rowAt(event);
      if (!row || (event.target as Element).matches("input[type=text]")) return;
      event.preventDefault();
      if (press.current.device === "touch") selectByLongPress(row);
      else openMenu(row, event);
    },
    onPointerDown(event: PointerEvent) {
      lift();
      const isTouch = event.pointerType === "touch";
      const leavesField = isTouch && document.activeElement?.matches(".rename input") === true;
      press.current = { device: event.pointerType, isLong: false, leavesField, timer: 0 };
      const row = rowAt(event);
      if (!row) return;
      onApproach();
      if (isTouch && !leavesField)
        press.current.timer = window.setTimeout(() => selectByLongPress(row), LONG_PRESS_MS);
      // A finger scrolls. With a mouse, dragging from the blank part of a row selects, as it does below the rows.
      const element = (event.target as Element).closest<HTMLElement>("[data-row]");
      const startsDrag = isHandle(event.target) || selection.ids.has(rowId(row));
      if (element) element.draggable = isDraggable && event.pointerType === "mouse" && startsDrag;
    },
    onPointerUp: lift,
    onPointerCancel: lift,
    onClick(event: MouseEvent) {
      const row = rowAt(event);
      if (!row || !(event.target instanceof Element) || press.current.isLong || press.current.leavesField)
        return;
      const id = rowId(row);
      const button = event.target.closest("button");
      if (button) return clickButton(button, row);
      const isSecond = event.detail > 1;
      if (isSecond && clicked.current !== id) return;
      clicked.current = id;
      active.set(row);
      const isOnCheckbox = event.target.matches("input");
      // Assistive technology clicks without a pointer.
      const isMouse = press.current.device === "mouse" && event.detail > 0;
      const isSelecting = !isMouse && selection.ids.size > 0 && !selection.followsFocus;
      if (event.shiftKey) selection.extendTo(id);
      else if (isOnCheckbox || event.metaKey || event.ctrlKey || isSelecting) selection.toggle(id);
      else if (picker && row.type === "file") {
        if (isMouse && isSecond) picker.onChoose([row]);
        else if (!isMouse && picker.mode === "files") selection.toggle(id);
        else selection.only(id);
      } else if (mayOpen(row) && (!isMouse || isSecond || event.target.closest(".row [data-name]")))
        onOpen(row);
      else selection.only(id);
    },
    onDragStart(event: DragEvent) {
      const row = rowAt(event);
      if (!row) return;
      const dragged = selectedWith(row);
      event.dataTransfer.effectAllowed = "copyMove";
      event.dataTransfer.setData("text/plain", dragged.map(({ name }) => name).join("\n"));
      onDrag(dragged);
    },
  };
}

/** Dragging starts on the name or the icon, not on the blank space beside them. */
export function isHandle(target: EventTarget): boolean {
  return target instanceof Element && target.closest("[data-name], .file-icon, img") !== null;
}
