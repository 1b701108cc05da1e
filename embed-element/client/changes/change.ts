import type { FilesError } from "../errors.js";
import { joinPath } from "../folder-path.js";
import { type FolderTime, now } from "../folder-time.js";
import { MAX_CHANGED_ITEMS } from "../limits.js";
import type { Call } from "../request.js";
import { type AddedRow, folderOf, type Moved, type Row } from "../rows.js";

/** What to do when a name is taken at the destination. */
export type ConflictChoice = "replace" | "keep-both" | "skip";

/**
 * What a change waits for: a decision on taken names, or confirmation of a deletion that nothing can undo. `delete` asks for that only where
 * the bucket keeps no versions.
 */
export type Question =
  | { about: "conflicts"; items: readonly NamedItem[] }
  | { about: "delete" }
  | { about: "purge" };

/** What to do with single items whose names are taken, by `itemId`. */
export type ConflictChoices = ReadonlyMap<string, ConflictChoice>;

/** The person's decision: for all items, for each of them (those without one are skipped), or `delete`: permanently. */
export type Answer = ConflictChoice | ConflictChoices | "delete";

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
  /** for `restore` and `purge`, if one version was to be changed */
  versionId?: string | undefined;
}

/** A version of a file. Without an id: the file, or all versions of a deleted file. */
export interface FileItem {
  key: string;
  versionId?: string | undefined;
}

/** A file or folder as the endpoints name it. */
export type Item = FileItem | { folderPath: string };

/**
 * A change that the person has asked for. `restore` restores files of the past, and `purge` deletes what was deleted permanently.
 * Two actions only undo others: `undo-delete` brings deleted items back, and `remove-created` removes copies, new folders and restored files that
 * nobody has changed since, and brings back what restored files have replaced.
 */
export interface RequestedChange {
  action:
    | "rename"
    | "move"
    | "copy"
    | "delete"
    | "create-folder"
    | "restore"
    | "purge"
    | "undo-delete"
    | "remove-created";
  /** for `create-folder`: the new folder; for `restore` and `purge` of everything that is shown: the open folder */
  items: readonly Row[];
  /** the folder that they are in; of found items, that of the first */
  from: string;
  /** the destination; where items stay or are removed, the folder that they are in */
  to: string;
  /** the new name of a single item */
  name?: string;
  /** decided in advance; otherwise the person is asked about conflicts */
  choice?: ConflictChoice;
  /** decided for some of the items. It counts more than `choice`. */
  choices?: ConflictChoices;
  /** for `restore` and `purge`, and to undo that: the time at which the items are shown */
  time?: FolderTime;
  /** for `restore` and `purge`: only these files, which are some of the items or are in them */
  files?: readonly FileItem[];
  /** for `undo-delete` and `remove-created`: the server's handles for it */
  undoHandles?: readonly string[];
  /** the change that this step undoes or redoes; the person is not asked about conflicts, and nothing is replaced */
  stepOf?: { way: "undo" | "redo"; change: Change };
}

/**
 * - `queued`: behind changes before it.
 * - `waiting`: for the answer to its question.
 */
export type ChangeStatus = "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";

export interface Change extends RequestedChange {
  id: number;
  status: ChangeStatus;
  /** long enough to show its progress */
  isLong: boolean;
  /** cancelled, but a call is still running */
  isStopping: boolean;
  /** the connection broke and is being retried */
  isRetrying: boolean;
  /** number of objects changed so far */
  done: number;
  failed: readonly Failure[];
  /** while it waits; otherwise null */
  question: Question | null;
  /** items that were left out because their names were taken, by `itemId` */
  skipped: readonly string[];
  /** names that were taken before they were replaced; null while unknown */
  replaced: readonly NamedItem[] | null;
  /** items that got another name with `keep-both` */
  renamed: readonly NamedItem[];
  /** whether deletions can be undone; null while unknown */
  isUndoable: boolean | null;
  /** the server's handles for undoing this change; for `undo-delete` and `remove-created`, the handles that are still to be sent */
  undoHandles: readonly string[];
  /** remaining items, in batches of one call each; null before the first call */
  left: readonly (readonly Item[])[] | null;
  /** for `restore` and `purge`: folders whose files are still to be read; null before the first call */
  unread: readonly UnreadFolder[] | null;
  /** for `restore` and `purge`: number of files that were read and have to be changed */
  found: number;
  /** for a long `copy`: number of objects to be copied, once they have been counted; null before */
  total: number | null;
  /** for `restore`: files whose names are taken, until the person is asked about them */
  taken: readonly FileItem[];
  /** the person has confirmed a permanent deletion */
  isConfirmed: boolean;
  /** where the first batch continues; null at its beginning */
  cursor: string | null;
  /** why it failed */
  error: FilesError | null;
}

/** A change before it has begun. */
export const NEW_CHANGE = {
  status: "queued",
  isLong: false,
  isStopping: false,
  isRetrying: false,
  done: 0,
  failed: [],
  question: null,
  skipped: [],
  replaced: null,
  renamed: [],
  isUndoable: null,
  undoHandles: [],
  left: null,
  cursor: null,
  unread: null,
  found: 0,
  total: null,
  taken: [],
  isConfirmed: false,
  error: null,
} satisfies Partial<Change>;

/** What one call has done. `null`: cancelled by the person. Items: call again with these instead. */
export type CallOutcome = Pick<Change, "done" | "failed" | "cursor"> | Item[] | "repeat" | null;

/** A change that runs, for the code that carries it out. */
export interface Run {
  /** as it is now */
  readonly change: Change;
  update(members: Partial<Change>): void;
  /** Waits for the person's answer. */
  ask(question: Question): Promise<Answer | "cancel">;
  /** Tells that the first objects have been changed, or are about to be: the event `changing`. */
  onStart(): void;
  /** Calls the platform, again while the failure is temporary. @throws a FilesError, or the reason why it was stopped */
  call: Call;
  /** @throws as `call` */
  callOnce: Call;
  /** Calls `send` for the remaining items, and records the position, so that a retry continues there. Calls `onStart` after the first response. */
  eachCall(send: (items: Item[], cursor: string | undefined) => Promise<CallOutcome>): Promise<void>;
}

/** A folder of the past, and where its next page begins. */
export interface UnreadFolder {
  folderPath: string;
  cursor: string | undefined;
}

/** The row after it was moved to `folderPath` under this name. */
export function rowIn(folderPath: string, row: Row, name = row.name): Row {
  const path = joinPath(folderPath, name);
  return row.type === "folder" ? { ...row, name, path } : { ...row, name, key: path.slice(1) };
}

export function itemOf(row: Row): Item {
  return row.type === "folder" ? { folderPath: row.path } : { key: row.key };
}

/** The id of a row, by what the endpoints call it. */
export const itemId = (item: { key?: string; folderPath?: string }): string =>
  item.key ?? item.folderPath ?? "";

/** What was decided for the items of one call, which are alike in this. */
export function choiceOf({ choice, choices }: RequestedChange, [first]: readonly Item[]) {
  return (first && choices?.get(itemId(first))) ?? choice;
}

/**
 * The items of a change in calls: as many in each as one may name, and only such for which the same was decided, because a call has one answer to
 * taken names.
 */
export function batchesOf(change: RequestedChange, items: readonly Item[]): Item[][] {
  const answers = [undefined, "skip", "replace", "keep-both"] as const;
  return answers.flatMap((answer) => {
    const alike = items.filter((item) => choiceOf(change, [item]) === answer);
    const count = Math.ceil(alike.length / MAX_CHANGED_ITEMS);
    return Array.from({ length: count }, (_, at) =>
      alike.slice(at * MAX_CHANGED_ITEMS, (at + 1) * MAX_CHANGED_ITEMS),
    );
  });
}

/** Whether this was decided for any item. */
export const hasChosen = ({ choice, choices }: RequestedChange, one: ConflictChoice): boolean =>
  choice === one || [...(choices?.values() ?? [])].includes(one);

/** A file as the endpoints name it. */
export const fileOf = ({ key, versionId }: FileItem): FileItem =>
  versionId === undefined ? { key } : { key, versionId };

/** The rows of a change at its destination. */
export function placed(change: Change): Row[] {
  const { action, items, to } = change;
  if (action === "restore") return items.map((row) => rowIn(folderOf(row), row, nameAt(change, row)));
  // Their items are where they were, or where they are to be created.
  if (action === "undo-delete" || action === "create-folder") return [...items];
  return items.filter((row) => !isSkipped(change, row)).map((row) => rowIn(to, row, nameAt(change, row)));
}

export const isSkipped = ({ skipped }: Change, row: Row) => skipped.includes(itemId(itemOf(row)));

/** The name of an item at the destination: with `keep-both`, the server has chosen it. */
export function nameAt({ name, renamed }: Change, row: Row): string {
  const item = itemOf(row);
  const other = renamed.find((one) =>
    "key" in item ? one.key === item.key : one.folderPath === item.folderPath,
  );
  return other?.name ?? name ?? row.name;
}

/** It has succeeded, and its items have the names that were asked for: with `keep-both`, the server chooses them. */
export const hasExpectedNames = (change: Change): boolean =>
  change.status === "done" && !hasChosen(change, "keep-both");

/**
 * What a change does to rows of folders as they are now:
 *
 * - `removes`: it removes its items.
 * - `returns`: its items are where they were, or where they are to be created.
 * - `places`: it puts its items at its destination.
 * - `past`: it restores or deletes files of the past, or undoes that.
 */
export function effectOf({ action, time }: Change): "removes" | "returns" | "places" | "past" {
  if (time !== undefined) return "past";
  if (action === "delete" || action === "remove-created") return "removes";
  return action === "undo-delete" || action === "create-folder" ? "returns" : "places";
}

/** A folder at this time shows what the change is about: a deletion, for example, changes nothing in a folder as it was. */
export const isShownAt = ({ time = now }: Change, shown: FolderTime): boolean => time.kind === shown.kind;

/** The items that it takes away from where they are listed. Files that are restored are no longer among the deleted ones. */
export function leavingRows(change: Change): readonly Row[] {
  const { action, items, from, to, time } = change;
  const leavesPast = action !== "remove-created" && time?.kind === "deleted";
  return effectOf(change) === "removes" || leavesPast || (action === "move" && from !== to) ? items : [];
}

/** The rows that a successful change has added at its destination. */
export function addedRowsOf(change: Change): AddedRow[] {
  const { items, to, name } = change;
  const effect = effectOf(change);
  if (effect === "removes" || effect === "past") return [];
  return items.map((item) => {
    const row = effect === "returns" ? item : rowIn(to, item, name);
    if (row.type === "folder") return { folderPath: row.path, file: null };
    const { type: _, ...file } = row;
    return { folderPath: folderOf(row), file };
  });
}

/** Where it takes its items; null for a name that only the server knows. */
export function movesOf(change: Change): Moved[] {
  const { items, to, name } = change;
  const effect = effectOf(change);
  const isGone = effect === "removes" || effect === "past" || hasChosen(change, "keep-both");
  return items.map((from) => ({ from, to: isGone ? null : rowIn(to, from, name) }));
}
