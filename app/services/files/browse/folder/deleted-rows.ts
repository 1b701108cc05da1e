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

/**
 * What the list of deleted files shows of `rows`: the files that were in the open folder `here`, and each subfolder with all that was
 * deleted in it as one row. With a filter, also the matching files of subfolders that do not match themselves. So no file is in two rows.
 */
export function deletedRows(rows: readonly Row[], here: string, filter: string): Row[] {
  const folders = new Map<string, FolderDeletion>();
  const isWanted = filter === "" ? () => false : nameMatcher(filter);
  const shown: Row[] = [];
  for (const row of rows) {
    const folder = folderIn(here, row);
    if (folder === null) {
      shown.push(row);
      continue;
    }
    const before = folders.get(folder);
    folders.set(folder, before ? withDeletion(before, row) : deletionOf(row));
    if (row.type === "file" && isWanted(row.name) && !isWanted(nameOf(folder))) shown.push(row);
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

/** The folder in `here` that the row is in, or that it is; null for a file in `here` itself. */
function folderIn(here: string, row: Row): string | null {
  let folder = row.type === "folder" ? row.path : folderOf(row);
  if (folder === here) return null;
  for (let above = parentOf(folder); above !== here; above = parentOf(folder)) folder = above;
  return folder;
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
