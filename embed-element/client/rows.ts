import type { components } from "./contract.js";
import { folderOfKey, parentOf, prefixOf } from "./folder-path.js";

export type FileEntry = components["schemas"]["FileEntry"];
/** With when it was added and, if the token may see activity, by whom. */
export type RecentFile = components["schemas"]["RecentFile"];
/** `complete` is false if not everything could be looked at, so that files may be missing. */
export type RecentFiles = components["schemas"]["ListRecentFilesResponse"];
/** Of some folders. `source` is `store` where the bucket has no catalogue. */
export type FolderSizes = components["schemas"]["ReadFolderSizesResponse"];
/** How much some folders hold, and may hold. */
export type QuotaUse = NonNullable<components["schemas"]["ReadQuotaResponse"]["quota"]>;
export type FolderEntry = components["schemas"]["FolderEntry"];

/** When a file was deleted, and by whom, if that is known. */
export interface Deletion {
  /** RFC 3339 */
  at: string;
  visitor?: { id: string; name?: string };
}

/** The deleted files in a folder and its subfolders: the last deletion, and the visitor if one has deleted all of them. */
export interface FolderDeletion extends Deletion {
  /** number of deleted files, or empty folders */
  count: number;
  /** bytes of all of them */
  size: number;
}

/** A file has a `versionId` where an older version of it is shown, and a `deletion` in the list of deleted files. */
export type Row =
  | ({ type: "folder"; deletion?: FolderDeletion } & FolderEntry)
  | ({ type: "file"; deletion?: Deletion } & FileEntry);

/** Unique among rows: folder paths start with a slash, and the keys that do get a mark. */
export const rowId = (row: Row): string => (row.type === "folder" ? row.path : fileId(row.key));

/** The id of a file's row. */
export const fileId = (key: string): string => (/^(\/|file:)/.test(key) ? `file:${key}` : key);

/** Whether a row is the content of a folder's own object, which is copied and moved with its folder only. */
export const isFolderContent = (row: Row): boolean => row.type === "file" && row.key.endsWith("/");

/** The path of a file or folder; it starts with a slash. */
export function pathOf(row: Row): string {
  return row.type === "folder" ? row.path : `/${row.key}`;
}

/** The folder that contains it. */
export function folderOf(row: Row): string {
  return row.type === "folder" ? parentOf(row.path) : folderOfKey(row.key);
}

/** Whether a folder around the row is one of these. @param folders paths */
function isInOneOf(folders: ReadonlySet<string>, row: Row): boolean {
  for (let folder = folderOf(row); ; folder = parentOf(folder)) {
    if (folders.has(folder)) return true;
    if (folder === "/") return false;
  }
}

/** Whether a row, or a folder around it, is one of these. @param ids of rows */
export function isAmong(ids: ReadonlySet<string>, row: Row): boolean {
  return ids.has(rowId(row)) || isInOneOf(ids, row);
}

/** The rows that are in no folder of `rows`: a folder is changed with everything in it. */
export function outermost(rows: readonly Row[]): Row[] {
  const folders = new Set(rows.flatMap((row) => (row.type === "folder" ? row.path : [])));
  return rows.filter((row) => pathOf(row) === "/" || !isInOneOf(folders, row));
}

/** The path of a file or folder below `folder`, without that folder: `b/c.txt` for `/a/b/c.txt` in `/a`. */
export function relativePath(path: string, folder: string): string {
  return path.slice(prefixOf(folder).length + 1);
}

/** A file or folder that an upload or a change has added. */
export interface AddedRow {
  /** the file's folder; for an empty folder, the folder itself */
  folderPath: string;
  file: FileEntry | null;
}

/** A row that a change has moved or renamed; `to` is null if it is gone. */
export interface Moved {
  from: Row;
  to: Row | null;
}
