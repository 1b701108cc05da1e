import { useEffect, useRef } from "react";
import { isInside } from "../../folder-path";
import { folderOf, type Row } from "../folder/folder-state";

interface Place {
  element: HTMLElement;
  path: string;
}

/** What a drag ended with: where the rows go, and how. */
export interface Drop {
  to: string;
  way: "move" | "copy";
}

/**
 * Rows that are dragged onto a folder's row or a breadcrumb: moved, or with Ctrl or Alt copied. A part of the first screen, and begun in the
 * very event: whoever drags quickly would drop before a part that is loaded, or a render, had begun to listen.
 * @param rows those of the list
 * @returns what begins it
 */
export function useRowDrag(
  rows: readonly Row[],
  mayGoTo: (path: string, way: Drop["way"]) => boolean,
  onDrop: (dragged: Row[], drop: Drop) => void,
): (dragged: Row[]) => void {
  const latest = useRef({ rows, mayGoTo, onDrop });
  latest.current = { rows, mayGoTo, onDrop };
  const ending = useRef<AbortController>();
  useEffect(() => () => ending.current?.abort(), []);

  return (dragged) => {
    ending.current?.abort();
    const stop = new AbortController();
    ending.current = stop;
    let marked: HTMLElement | null = null;
    const mark = (element: HTMLElement | null) => {
      marked?.removeAttribute("data-drop");
      element?.setAttribute("data-drop", "");
      marked = element;
    };
    stop.signal.addEventListener("abort", () => mark(null));

    const placeOf = (event: DragEvent, way: Drop["way"]): Place | null => {
      const { rows, mayGoTo } = latest.current;
      const element = (event.target as Element).closest<HTMLElement>("[data-row], [data-path]");
      if (!element) return null;
      const row = rows[Number(element.dataset.row)];
      const path = element.dataset.path ?? (row?.type === "folder" ? row.path : undefined);
      if (path === undefined || !mayGoTo(path, way) || !takes(path, dragged, way)) return null;
      return { element, path };
    };
    const listen = (type: "dragover" | "drop", handle: (event: DragEvent, way: Drop["way"]) => void) =>
      document.addEventListener(
        type,
        (event) => handle(event, event.ctrlKey || event.altKey ? "copy" : "move"),
        { signal: stop.signal },
      );
    listen("dragover", (event, way) => {
      const place = placeOf(event, way);
      mark(place?.element ?? null);
      if (place === null) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = way;
    });
    listen("drop", (event, way) => {
      const place = placeOf(event, way);
      if (place === null) return;
      event.preventDefault();
      stop.abort();
      latest.current.onDrop(dragged, { to: place.path, way });
    });
    document.addEventListener("dragend", () => stop.abort(), { signal: stop.signal });
  };
}

/** No folder goes into itself, and nothing moves to where it is. */
function takes(path: string, dragged: readonly Row[], way: Drop["way"]): boolean {
  return dragged.every((row) => {
    const isItself = row.type === "folder" && isInside(path, row.path);
    return !isItself && !(way === "move" && folderOf(row) === path);
  });
}
