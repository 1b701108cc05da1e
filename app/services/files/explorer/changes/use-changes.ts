import { useState } from "react";
import { isInside } from "../../folder-path";
import { type Row, rowId } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import type { List } from "../folder/use-list";
import type { ExplorerProps } from "../props";
import { type Typed, useEarlyKeys } from "./use-early-keys";
import { type Drop, useRowDrag } from "./use-row-drag";

/** `clip`: keep on the clipboard, to be copied; `cut`: to be moved. */
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
  | "delete";

/** Where on the screen something was asked for, CSS pixels. */
export interface Point {
  clientX: number;
  clientY: number;
}

export interface Asked {
  command: Command;
  rows: Row[];
  at?: Point;
  drop?: Drop;
  /** typed since, before there was a field for it */
  typed?: Typed;
}

export type Changes = ReturnType<typeof useChanges>;

const nothing: ReadonlySet<string> = new Set();

/** What may be changed in the open folder, and what a person has asked for. All else is loaded with the first of it. */
export function useChanges(
  { actions, uploadFolder, rootPath }: ExplorerProps,
  folder: Folder,
  { rows, selected, selection }: List,
) {
  /** not yet taken up; null until there is a first one */
  const [asked, setAsked] = useState<readonly Asked[] | null>(null);
  /** ids of rows that are about to go away, or to change */
  const [dimmed, setDimmed] = useState(nothing);
  const isHere = uploadFolder === null || isInside(folder.path, uploadFolder);
  const possible = actions.includes("organize");
  const organize = possible && isHere;
  const may: Record<Command, boolean> = {
    menu: true,
    "new-folder": organize,
    rename: organize,
    move: organize,
    cut: organize,
    copy: possible,
    clip: possible,
    paste: organize,
    drop: possible,
    delete: isHere && actions.includes("delete"),
  };
  const ask = (command: Command, rows: Row[] = [], more: Pick<Asked, "at" | "drop"> = {}) => {
    if (may[command]) setAsked((before) => [...(before ?? []), { command, rows, ...more }]);
  };
  const startDrag = useRowDrag(
    rows,
    (path, way) => isInside(path, uploadFolder ?? rootPath) && may[way],
    (dragged, drop) => ask("drop", dragged, { drop }),
  );
  useEarlyKeys(asked, setAsked, () => ask("paste"));
  return {
    /** somewhere; what only looks on has no button */
    possible,
    may,
    asked,
    setAsked,
    dimmed,
    setDimmed,
    ask,
    startDrag,
    /** What is done to `row` is done to all that are selected, if it is one of them. */
    rowsFor: (row: Row) => (selection.ids.has(rowId(row)) ? selected : [row]),
  };
}
