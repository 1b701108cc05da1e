import {
  type FolderDeletion,
  folderOf,
  isInside,
  nameOf,
  parentOf,
  pathOf,
  type Row,
  relativePath,
} from "platform-embed-element/client";
import { nameMatcher } from "../../../../shared/fold-name";
import { bytesOf } from "./arrange-rows";

interface Shown {
  /** the open folder */
  here: string;
  /** of the folders below it, those in which something still is; what is around these exists, too */
  existingFolders: ReadonlySet<string>;
  filter: string;
}

/**
 * What the list of deleted files shows of `rows`: each folder of which nothing is left as one row, and the deleted files of folders that
 * still exist. With a filter, also the matching files of deleted folders that do not match themselves. So no file is in two rows.
 */
export function deletedRows(rows: readonly Row[], { here, existingFolders, filter }: Shown): Row[] {
  const folders = new Map<string, FolderDeletion>();
  const isWanted = filter === "" ? () => false : nameMatcher(filter);
  const shown: Row[] = [];
  for (const row of rows) {
    const folder = deletedFolderOf(row, here, existingFolders);
    if (folder === null) {
      // Only the own object of an existing folder was deleted: nobody misses that.
      if (row.type === "file") shown.push(row);
      continue;
    }
    const before = folders.get(folder);
    folders.set(folder, before ? withDeletion(before, row) : deletionOf(row));
    const isFound = row.type === "file" && isWanted(row.name, relativePath(folderOf(row), here));
    if (isFound && !isWanted(nameOf(folder), relativePath(parentOf(folder), here))) shown.push(row);
  }
  return [
    ...[...folders].map(([path, deletion]): Row => ({ type: "folder", name: nameOf(path), path, deletion })),
    ...shown,
  ];
}

/** The files of the given rows, folders replaced by all deleted files in them, named by their paths below `here`. */
export function deletedFilesOf(
  chosen: readonly Row[],
  rows: readonly Row[],
  here: string,
): Extract<Row, { type: "file" }>[] {
  const folders = chosen.filter(({ type }) => type === "folder").map(pathOf);
  const isChosen = (row: Row) => folders.some((folder) => isInside(folderOf(row), folder));
  return [...chosen, ...rows.filter(isChosen)]
    .filter((row) => row.type === "file")
    .map((row) => ({ ...row, name: relativePath(pathOf(row), here) }));
}

/** The highest deleted folder below `here` that the row is in, or that it is; null for none. */
function deletedFolderOf(row: Row, here: string, existingFolders: ReadonlySet<string>): string | null {
  let folder = row.type === "folder" ? row.path : folderOf(row);
  let highest: string | null = null;
  for (; folder !== here && !existingFolders.has(folder); folder = parentOf(folder)) highest = folder;
  return highest;
}

function deletionOf(row: Row): FolderDeletion {
  const { at = "", visitor } = row.deletion ?? {};
  return { at, ...(visitor && { visitor }), count: 1, size: bytesOf(row) };
}

function withDeletion({ at, visitor, count, size }: FolderDeletion, row: Row): FolderDeletion {
  const more = deletionOf(row);
  return {
    at: more.at > at ? more.at : at,
    ...(visitor && more.visitor?.id === visitor.id && { visitor }),
    count: count + 1,
    size: size + more.size,
  };
}
