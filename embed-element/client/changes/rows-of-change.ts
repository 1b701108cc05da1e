import { type FolderTime, now } from "../folder-time.js";
import { type AddedRow, folderOf, type Moved, type Row } from "../rows.js";
import { type Change, hasChosen, rowIn } from "./change.js";

/** What a change does to rows of a list. */

/** It has succeeded, and its items have the names that were asked for: with `keep-both`, the server chooses them. */
export const hasExpectedNames = (change: Change): boolean =>
  change.status === "done" && !hasChosen(change, "keep-both");

/** It removes its items. */
export const isRemoving = ({ action }: Change): boolean => action === "delete" || action === "remove-created";

/** Its items are where they were, or where they are to be created. */
export const isBack = ({ action }: Change): boolean => action === "undo-delete" || action === "create-folder";

/** It restores or deletes files of the past, or undoes that. */
export const isOfPast = ({ time }: Change): boolean => time !== undefined;

/** A folder at this time shows what the change is about: a deletion, for example, changes nothing in a folder as it was. */
export const isShownAt = ({ time = now }: Change, shown: FolderTime): boolean => time.kind === shown.kind;

/** The items that it takes away from where they are listed. Files that are restored are no longer among the deleted ones. */
export function leavingRows(change: Change): readonly Row[] {
  const { action, items, from, to, time } = change;
  const isRemoved = isRemoving(change) && !isOfPast(change);
  const leavesPast = action !== "remove-created" && time?.kind === "deleted";
  return isRemoved || leavesPast || (action === "move" && from !== to) ? items : [];
}

/** The rows that a successful change has added at its destination. */
export function addedRowsOf(change: Change): AddedRow[] {
  const { items, to, name } = change;
  if (isRemoving(change) || isOfPast(change)) return [];
  return items.map((item) => {
    const row = isBack(change) ? item : rowIn(to, item, name);
    if (row.type === "folder") return { folderPath: row.path, file: null };
    const { type: _, ...file } = row;
    return { folderPath: folderOf(row), file };
  });
}

/** Where it takes its items; null for a name that only the server knows. */
export function movesOf(change: Change): Moved[] {
  const { items, to, name } = change;
  const isGone = isRemoving(change) || isOfPast(change) || hasChosen(change, "keep-both");
  return items.map((from) => ({ from, to: isGone ? null : rowIn(to, from, name) }));
}
