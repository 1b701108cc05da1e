import {
  type Change,
  type FolderTime,
  folderOf,
  isInside,
  isRemoving,
  pathOf,
  placed,
  rowId,
} from "platform-embed-element/client";

/** Where the result of a change is: a folder, and the ids of the rows in it. */
export interface PlaceOfResult {
  folderPath: string;
  ids: string[];
}

interface OnScreen {
  rootPath: string;
  path: string;
  time: FolderTime;
  filter: string;
}

/** Where a change has put something that the open folder does not show; null if there is nothing to show. */
export function placeOfResult(
  change: Change,
  { rootPath, path, time, filter }: OnScreen,
): PlaceOfResult | null {
  if (change.done === 0 || change.action === "purge" || isRemoving(change)) return null;
  const rows = placed(change);
  const [first] = rows;
  if (!first) return null;
  // Of everything that was shown, the folder itself is named.
  const folderPath = pathOf(first) === path ? path : folderOf(first);
  const isOpen = folderPath === path && time.kind === "now" && filter === "";
  if (isOpen || !isInside(folderPath, rootPath)) return null;
  return { folderPath, ids: rows.filter((row) => folderOf(row) === folderPath).map(rowId) };
}
