import { useRef, useState } from "react";
import { type Row, rowId } from "../browse/folder/folder-state";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import { isInside, issueOfFolderPath, nameOf } from "../place/folder-path";
import type { FolderTime } from "../place/folder-time";
import type { ExplorerProps } from "../place/props";
import type { Point } from "../screen/menu";
import { type Drop, useRowDrag } from "./use-row-drag";

/**
 * `clip` and `cut` put rows on the clipboard, for copying and moving. `restore` and `purge` change files of the past; without rows,
 * everything in the open folder.
 */
export type Command =
  | "menu"
  | "new-folder"
  | "rename"
  | "move"
  | "copy"
  | "cut"
  | "clip"
  | "paste"
  | "drop"
  | "delete"
  | "restore"
  | "purge"
  | "undo"
  | "redo";

export interface PendingCommand {
  command: Command;
  rows: Row[];
  /** what the list showed then */
  time: FolderTime;
  at?: Point;
  drop?: Drop;
}

export type Changes = ReturnType<typeof useChanges>;

const rowOf = (path: string): Row => ({ type: "folder", name: nameOf(path), path });

const nothing: ReadonlySet<string> = new Set();

/** Which changes are allowed in the open folder, and those that the person has asked for. The code that carries them out is loaded with the first. */
export function useChanges(
  { actions, uploadFolder, rootPath }: ExplorerProps,
  folder: Folder,
  { rows, selected, selection }: List,
) {
  /** not taken up yet by the changes panel */
  const pending = useRef<PendingCommand[]>([]);
  /** A counter: each increment renders the panel again, which then takes the commands. */
  const [panelRequests, setPanelRequests] = useState(0);
  /** ids of rows that are being changed */
  const [dimmed, setDimmed] = useState(nothing);
  const isHere = uploadFolder === null || isInside(folder.path, uploadFolder);
  const { time } = folder;
  const isNow = time.kind === "now";
  const possible = actions.includes("organize");
  const organize = isNow && possible && isHere;
  const may: Record<Command, boolean> = {
    menu: true,
    "new-folder": organize && issueOfFolderPath(folder.path) === null,
    rename: organize,
    move: organize,
    cut: organize,
    copy: isNow && possible,
    clip: isNow && possible,
    paste: organize,
    drop: isNow && possible,
    delete: isNow && isHere && actions.includes("delete"),
    restore: !isNow && isHere && actions.includes("history"),
    // Of a file that a moment shows, this would delete one version, and perhaps the file's present content: details do that.
    purge: time.kind === "deleted" && isHere && actions.includes("purge"),
    undo: isNow && (possible || actions.includes("delete")),
    redo: isNow && (possible || actions.includes("delete")),
  };
  const dispatch = (command: Command, rows: Row[] = [], more: Pick<PendingCommand, "at" | "drop"> = {}) => {
    if (!may[command]) return;
    const isEverything = rows.length === 0 && (command === "restore" || command === "purge");
    pending.current.push({ command, rows: isEverything ? [rowOf(folder.path)] : rows, time, ...more });
    setPanelRequests((count) => count + 1);
  };
  const drag = useRowDrag(
    rows,
    (path, way) => isInside(path, uploadFolder ?? rootPath) && may[way],
    (dragged, drop) => dispatch("drop", dragged, { drop }),
  );
  return {
    /** in some folder; without, there are no buttons for changes */
    possible,
    may,
    /** The person has asked for a change. */
    needsPanel: panelRequests > 0,
    /** for the panel: the commands since the last call */
    takeCommands: () => pending.current.splice(0),
    /** Forgets what the panel has not taken. */
    giveUp() {
      pending.current = [];
      setPanelRequests(0);
    },
    dimmed,
    setDimmed,
    dispatch,
    /**
     * A key acts on the selection; without one, on the row that has the focus. Only Delete needs a selection: after deleting, the focus is on
     * a row that the person has not chosen.
     */
    dispatchByKey(command: Command, focused: number | undefined) {
      if (command === "delete" && selected.length === 0) return;
      const row = focused === undefined ? undefined : rows[focused];
      const acted = selected.length === 0 && row ? [row] : selected;
      if (acted.length > 0)
        dispatch(command, command === "rename" && row && acted.includes(row) ? [row] : acted);
    },
    /** Undefined before the first command: the clipboard is then empty. */
    paste: panelRequests === 0 ? undefined : () => dispatch("paste"),
    drag,
    /** All selected rows if the person has selected them and `row` is one of them, otherwise `row` alone. */
    rowsFor: (row: Row) => (!selection.isResult && selection.ids.has(rowId(row)) ? selected : [row]),
  };
}
