import { type Row, rowId } from "platform-embed-element/client";
import { type CSSProperties, type RefObject, useEffect, useRef, useState } from "react";
import type { FileGridProps } from "./grid-props";
import { isHandle } from "./use-row-pointer";

/** A shorter movement is a click. CSS pixels. */
const MIN_DISTANCE = 4;
/** The list scrolls while the pointer is this close to its upper or lower edge, or beyond it. CSS pixels. */
const SCROLL_MARGIN = 24;
/** CSS pixels in one frame of animation */
const MAX_SCROLL_STEP = 40;

/** A corner of the rectangle in the list's content, CSS pixels from its upper left corner. */
interface Corner {
  x: number;
  y: number;
}

/**
 * Dragging the mouse from blank space draws a rectangle and selects the rows that it touches; with Shift, Ctrl or ⌘, they are added to
 * the selection.
 * @param perLine number of columns; 1 in a list
 * @returns the style of the rectangle; null while none is drawn
 */
export function useRectangleSelection(
  list: RefObject<HTMLElement>,
  { rows, selection, isDraggable }: Pick<FileGridProps, "rows" | "selection" | "isDraggable">,
  perLine: number,
): CSSProperties | null {
  const [style, setStyle] = useState<CSSProperties | null>(null);
  // Selected rows are dragged themselves, wherever they are taken.
  const isDragged = (index: number) => {
    const row = rows[index];
    return isDraggable && row !== undefined && selection.ids.has(rowId(row));
  };
  const latest = useRef({ rows, selection, perLine, isDragged });
  latest.current = { rows, selection, perLine, isDragged };

  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const onPointerDown = (event: PointerEvent) => {
      if (!isOnBlankSpace(event, element)) return;
      const pressed = (event.target as Element).closest<HTMLElement>("[data-row]");
      if (pressed && latest.current.isDragged(Number(pressed.dataset.row))) return;
      const kept = event.shiftKey || event.ctrlKey || event.metaKey ? latest.current.selection.ids : [];
      trackRectangle(element, event, (from, to) => {
        const { rows, selection, perLine } = latest.current;
        setStyle(from && to && rectangleStyle(from, to));
        if (from && to) selection.set(new Set([...kept, ...touchedIds(element, rows, perLine, from, to)]));
      });
    };
    element.addEventListener("pointerdown", onPointerDown);
    return () => element.removeEventListener("pointerdown", onPointerDown);
  }, [list]);

  return style;
}

function isOnBlankSpace(event: PointerEvent, list: HTMLElement): boolean {
  const { target } = event;
  if (event.pointerType !== "mouse" || event.button !== 0 || !(target instanceof Element)) return false;
  const { left, top } = list.getBoundingClientRect();
  const isOnScrollbar = event.clientX - left > list.clientWidth || event.clientY - top > list.clientHeight;
  const isOnControl = target.closest("button, input, select, .row--head, .tiles__head") !== null;
  return !isOnScrollbar && !isOnControl && !isHandle(target);
}

/** Calls `onChange` with two opposite corners until the button is released, then with null. */
function trackRectangle(
  list: HTMLElement,
  { pointerId, clientX, clientY }: PointerEvent,
  onChange: (from: Corner | null, to: Corner | null) => void,
): void {
  const stop = new AbortController();
  const { signal } = stop;
  const pointer = { clientX, clientY };
  const cornerAt = (): Corner => {
    const { left, top } = list.getBoundingClientRect();
    return { x: pointer.clientX - left + list.scrollLeft, y: pointer.clientY - top + list.scrollTop };
  };
  const from = cornerAt();
  let isDrawing = false;
  const draw = () => onChange(from, cornerAt());

  const scroll = () => {
    if (signal.aborted) return;
    const { top, bottom } = list.getBoundingClientRect();
    const above = Math.min(pointer.clientY - (top + SCROLL_MARGIN), 0);
    const below = Math.max(pointer.clientY - (bottom - SCROLL_MARGIN), 0);
    // Faster the further out.
    const step = Math.max(Math.min(2 * (above + below), MAX_SCROLL_STEP), -MAX_SCROLL_STEP);
    const before = list.scrollTop;
    list.scrollTop += step;
    if (list.scrollTop !== before) draw();
    requestAnimationFrame(scroll);
  };
  const onMove = (event: PointerEvent) => {
    pointer.clientX = event.clientX;
    pointer.clientY = event.clientY;
    if (!isDrawing) {
      if (Math.hypot(event.clientX - clientX, event.clientY - clientY) < MIN_DISTANCE) return;
      isDrawing = true;
      list.setPointerCapture(pointerId);
      requestAnimationFrame(scroll);
    }
    draw();
  };
  const end = () => {
    stop.abort();
    if (!isDrawing) return;
    onChange(null, null);
    // Releasing the button also clicks the list.
    const swallow = (event: Event) => event.stopPropagation();
    window.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
  };
  window.addEventListener("pointermove", onMove, { signal });
  window.addEventListener("pointerup", end, { signal });
  window.addEventListener("pointercancel", end, { signal });
}

function rectangleStyle(from: Corner, to: Corner): CSSProperties {
  return {
    left: Math.min(from.x, to.x),
    top: Math.min(from.y, to.y),
    width: Math.abs(from.x - to.x),
    height: Math.abs(from.y - to.y),
  };
}

/** The rows that the rectangle touches. Computed from one line of the grid, since the others may not be in the document. */
function touchedIds(
  list: HTMLElement,
  rows: readonly Row[],
  perLine: number,
  from: Corner,
  to: Corner,
): string[] {
  const cell = list.querySelector<HTMLElement>("[data-row]");
  const line = perLine === 1 ? cell : cell?.parentElement;
  if (!cell || !line) return [];
  const origin = list.getBoundingClientRect();
  const inContent = ({ left, right, top, height }: DOMRect) => ({
    left: left - origin.left + list.scrollLeft,
    right: right - origin.left + list.scrollLeft,
    top: top - origin.top + list.scrollTop,
    height,
  });
  const { top, height } = inContent(line.getBoundingClientRect());
  const firstTop = top - Math.floor(Number(cell.dataset.row) / perLine) * height;
  const lineAt = (y: number) => Math.floor((y - firstTop) / height);
  const firstLine = Math.max(lineAt(Math.min(from.y, to.y)), 0);
  const lastLine = Math.min(lineAt(Math.max(from.y, to.y)), Math.ceil(rows.length / perLine) - 1);
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  const columns = (perLine === 1 ? [line] : [...line.children]).map((each, column) => ({
    column,
    ...inContent(each.getBoundingClientRect()),
  }));
  const touched = columns.filter((each) => each.right > left && each.left < right);

  const ids: string[] = [];
  for (let at = firstLine; at <= lastLine; at++)
    for (const { column } of touched) {
      const row = rows[at * perLine + column];
      if (row) ids.push(rowId(row));
    }
  return ids;
}
