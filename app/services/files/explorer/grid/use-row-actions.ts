import { type MouseEvent, useMemo, useRef } from "react";
import { type Row, rowId } from "../folder/folder-state";
import type { RowActions } from "./file-row";
import type { ActiveRow } from "./use-active-row";
import type { Selection } from "./use-selection";

interface RowCommands {
  selection: Selection;
  onOpen(row: Row): void;
  onDownload(row: Row): void;
}

/** What the pointer does to a row. The same object in each rendering, so that rows are not rendered again because of it. */
export function useRowActions(commands: RowCommands, setActive: ActiveRow["set"]): RowActions {
  const latest = useRef(commands);
  latest.current = commands;
  return useMemo(
    () => ({
      download: (row) => latest.current.onDownload(row),
      click(row, event) {
        // The second half of a double click, which may be on a row of the folder that the first half has opened.
        if (event.detail > 1) return;
        setActive(row);
        if (event.shiftKey) latest.current.selection.extendTo(rowId(row));
        else if (event.metaKey || event.ctrlKey) latest.current.selection.toggle(rowId(row));
        else latest.current.onOpen(row);
      },
      toggle(row, event: MouseEvent) {
        event.stopPropagation();
        setActive(row);
        if (event.shiftKey) latest.current.selection.extendTo(rowId(row));
        else latest.current.selection.toggle(rowId(row));
      },
    }),
    [setActive],
  );
}
