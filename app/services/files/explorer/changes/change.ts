import { joinPath } from "../../folder-path";
import type { StorageProblem } from "../../storage-problem";
import type { Row } from "../folder/folder-state";

/** What to do when a name is taken at the destination. */
export type ConflictChoice = "replace" | "keep-both" | "skip";

/** A name that is taken at the destination. */
interface Conflict {
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

/** A change that the person has asked for. */
export interface Wanted {
  action: "rename" | "move" | "copy" | "delete" | "restore";
  items: readonly Row[];
  /** the folder that they are in */
  from: string;
  /** the destination; for `restore` and `delete`, the folder that they are in */
  to: string;
  /** the new name of a single item */
  name?: string;
  /** decided in advance; otherwise the person is asked about conflicts */
  choice?: ConflictChoice;
  /** for `restore`: what `delete` returned */
  undo?: readonly string[];
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
  conflicts: readonly Conflict[];
  /** whether deletions can be undone; null while unknown */
  isUndoable: boolean | null;
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
