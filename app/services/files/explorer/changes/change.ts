import { joinPath } from "../../folder-path";
import type { StorageProblem } from "../../storage-problem";
import type { Row } from "../folder/folder-state";

/** What may become of a name that is taken where something is moved or copied to. */
export type ConflictChoice = "replace" | "keep-both" | "skip";

/** A name that is taken; of a folder, by a folder or a file. */
export interface Conflict {
  name: string;
  key?: string;
  folderPath?: string;
}

/** An object that could not be changed. */
export interface Failure {
  key: string;
  /** the service's (docs/contract.md#failures) */
  code: string;
}

/** As the endpoints name things. */
export type Item = { key: string } | { folderPath: string };

/** What a person wants changed. */
export interface Wanted {
  action: "rename" | "move" | "copy" | "delete" | "restore";
  /** as the list had them */
  items: readonly Row[];
  /** the folder that they are in */
  from: string;
  /** the folder that they are to be in; to restore and delete, the one they are in */
  to: string;
  /** what the one item is to be called */
  name?: string;
  /** what was decided before about names that are taken; otherwise the person is asked */
  choice?: ConflictChoice;
  /** what `delete` returned; to restore */
  undo?: readonly string[];
}

/**
 * - `waiting`: others are before it.
 * - `asking`: it goes on when the person has said what to do about taken names, or that all be deleted for good.
 */
export type ChangeStatus = "waiting" | "running" | "asking" | "done" | "failed" | "cancelled";

export interface Change extends Wanted {
  id: number;
  status: ChangeStatus;
  /** it takes long enough for a person to want to see it */
  isLong: boolean;
  /** cancelled, and still waiting for the call that is on its way */
  isStopping: boolean;
  /** the connection has broken, and is being tried again */
  isInterrupted: boolean;
  /** objects so far */
  done: number;
  failed: readonly Failure[];
  /** names that are taken, while it asks about them */
  conflicts: readonly Conflict[];
  /** deletions can be undone; null while that is not known */
  isUndoable: boolean | null;
  undo: readonly string[];
  /** what is still to be done, as many items a call as it may name; null before the first call */
  left: readonly (readonly Item[])[] | null;
  /** where the first of them goes on; null at its beginning */
  cursor: string | null;
  /** why it ended before its end */
  problem: StorageProblem | null;
}

/** The file or folder as it is listed once it is in `folderPath`, and called so. */
export function rowIn(folderPath: string, row: Row, name = row.name): Row {
  const path = joinPath(folderPath, name);
  return row.type === "folder" ? { ...row, name, path } : { ...row, name, key: path.slice(1) };
}

export function itemOf(row: Row): Item {
  return row.type === "folder" ? { folderPath: row.path } : { key: row.key };
}
