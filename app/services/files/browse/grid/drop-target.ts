import type { Row } from "platform-embed-element/client";
import { useRef } from "react";

/** A folder that something can be dropped on, and the element that shows it. */
export interface DropTarget {
  element: HTMLElement;
  path: string;
}

/** The folder whose row, tile or breadcrumb is under the pointer; null if none is. */
export function dropTargetOf(under: EventTarget, rows: readonly Row[]): DropTarget | null {
  const element = (under as Element).closest<HTMLElement>("[data-row], [data-path]");
  if (!element) return null;
  const row = rows[Number(element.dataset.row)];
  const path = element.dataset.path ?? (row?.type === "folder" ? row.path : undefined);
  return path === undefined ? null : { element, path };
}

/** Outlines one drop target at a time. By attribute: rendering the list for every row that is passed would be slow. */
export function useDropMark(): (element: HTMLElement | null) => void {
  const marked = useRef<HTMLElement | null>(null);
  return (element) => {
    marked.current?.removeAttribute("data-drop");
    element?.setAttribute("data-drop", "");
    marked.current = element;
  };
}
