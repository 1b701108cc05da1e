import { folderOf, isInside, type Row } from "platform-embed-element/client";
import { type DragEvent, useRef } from "react";
import { dropTargetOf, useDropMark } from "../browse/grid/drop-target";

/** The target of a drop, and whether the rows are moved or copied. */
export interface Drop {
  to: string;
  way: "move" | "copy";
}

/**
 * Dragging rows onto a folder's row or a breadcrumb moves them; with Ctrl or Alt it copies them.
 * @param rows the rows of the list
 * @returns `start` for the beginning of a drag, and event handlers for the element that holds the list and the breadcrumbs
 */
export function useRowDrag(
  rows: readonly Row[],
  mayGoTo: (path: string, way: Drop["way"]) => boolean,
  onDrop: (dragged: Row[], drop: Drop) => void,
) {
  const dragged = useRef<Row[] | null>(null);
  const mark = useDropMark();
  const end = () => {
    mark(null);
    dragged.current = null;
  };
  /** The drop target under the pointer; null where the dragged rows cannot go. */
  const targetOf = (event: DragEvent) => {
    const target = dropTargetOf(event.target, rows);
    if (dragged.current === null || target === null) return null;
    const way: Drop["way"] = event.ctrlKey || event.altKey ? "copy" : "move";
    if (!mayGoTo(target.path, way) || !canTake(target.path, dragged.current, way)) return null;
    return { ...target, way, rows: dragged.current };
  };

  return {
    start(rows: Row[]) {
      dragged.current = rows;
    },
    handlers: {
      onDragOver(event: DragEvent) {
        const target = targetOf(event);
        mark(target?.element ?? null);
        if (target === null) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = target.way;
      },
      onDrop(event: DragEvent) {
        const target = targetOf(event);
        end();
        if (target === null) return;
        event.preventDefault();
        onDrop(target.rows, { to: target.path, way: target.way });
      },
      onDragEnd: end,
    },
  };
}

/** A folder cannot go into itself, and moving something to the folder that it is in does nothing. */
function canTake(path: string, dragged: readonly Row[], way: Drop["way"]): boolean {
  return dragged.every((row) => {
    const isItself = row.type === "folder" && isInside(path, row.path);
    return !isItself && !(way === "move" && folderOf(row) === path);
  });
}
