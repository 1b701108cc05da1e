import { joinPath } from "../../folder-path";
import type { StorageProblem } from "../../storage-problem";
import type { ConflictChoice } from "../../transfers/upload";
import type { Row } from "../folder/folder-state";

/** A name at the destination: one that is taken, or one that the server has chosen instead. The item has its old path. */
export interface NamedItem {
  name: string;
  key?: string;
  folderPath?: string;
}

/** An object that could not be changed. */
export interface Failure {
  key: string;
  /** of the service (docs/contract.md#failures) */
  code: string;
}

/** A file or folder as the endpoints name it. */
export type Item = { key: string } | { folderPath: string };

/**
 * A change that the person has asked for. Two actions only undo others: `restore` brings deleted items back, and `remove` removes copies and
 * new folders that nobody has changed since.
 */
export interface Wanted {
  action: "rename" | "move" | "copy" | "delete" | "create-folder" | "restore" | "remove";
  /** for `create-folder`: the new folder */
  items: readonly Row[];
  /** the folder that they are in */
  from: string;
  /** the destination; where items stay or are removed, the folder that they are in */
  to: string;
  /** the new name of a single item */
  name?: string;
  /** decided in advance; otherwise the person is asked about conflicts */
  choice?: ConflictChoice;
  /** for `restore` and `remove`: the server's handles */
  undo?: readonly string[];
  /** it undoes or redoes a change; the person is not asked about conflicts, and nothing is replaced */
  again?: { way: "undo" | "redo"; of: Change };
}

/**
 * - `waiting`: for changes before it.
 * - `asking`: for a decision on conflicts, or for confirmation of a permanent deletion.
 */
type ChangeStatus = "waiting" | "running" | "asking" | "done" | "failed" | "cancelled";

export interface Change extends Wanted {
  id: number;
  status: ChangeStatus;
  /** long enough to show its progress */
  isLong: boolean;
  /** cancelled, but a call is still running */
  isStopping: boolean;
  /** the connection broke and is being retried */
  isInterrupted: boolean;
  /** number of objects changed so far */
  done: number;
  failed: readonly Failure[];
  /** while it asks about them */
  conflicts: readonly NamedItem[];
  /** names that were taken, and whose items were left out */
  skipped: readonly string[];
  /** names that were taken before they were replaced; null while unknown */
  replaced: readonly NamedItem[] | null;
  /** items that got another name with `keep-both` */
  renamed: readonly NamedItem[];
  /** whether deletions can be undone; null while unknown */
  isUndoable: boolean | null;
  /** the server's handles: what this change has returned, or for `restore` and `remove`, the remaining ones */
  undo: readonly string[];
  /** remaining items, in batches of one call each; null before the first call */
  left: readonly (readonly Item[])[] | null;
  /** where the first batch continues; null at its beginning */
  cursor: string | null;
  /** why it failed */
  problem: StorageProblem | null;
}

/** The row after it was moved to `folderPath` under this name. */
export function rowIn(folderPath: string, row: Row, name = row.name): Row {
  const path = joinPath(folderPath, name);
  return row.type === "folder" ? { ...row, name, path } : { ...row, name, key: path.slice(1) };
}

export function itemOf(row: Row): Item {
  return row.type === "folder" ? { folderPath: row.path } : { key: row.key };
}
