import { isFolderMarker, isInside, joinPath } from "../folder-path.js";
import type { FolderTime } from "../folder-time.js";
import { MAX_PAGE_SIZE } from "../limits.js";
import type { RequestOf, ResultOf } from "../operations.js";
import type { Call } from "../request.js";
import { type AddedRow, folderOf, isAmong, type Row, relativePath, rowId } from "../rows.js";
import type { UploadedFile } from "../uploads/upload.js";

/** Rows of a folder, as they are listed and as they change. */

export interface Page {
  rows: Row[];
  /** null on the last page */
  cursor: string | null;
  exists: boolean;
  existingFolders: ReadonlySet<string>;
  /** the platform has kept the order that was asked for */
  inOrder: boolean;
}

/** An order of all files of a folder, of which the platform lists the first ones. */
export type FileOrder = NonNullable<RequestOf<"list">["order"]>;

export const noFolders: ReadonlySet<string> = new Set();

/** One page of a folder at a time. @throws a FilesError, or the signal's reason */
export async function readPage(
  call: Call,
  { path, time, order }: { path: string; time: FolderTime; order?: FileOrder | undefined },
  cursor: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Page> {
  if (time.kind === "deleted") {
    const page = await call("deleted", { folderPath: path, cursor }, signal);
    return {
      rows: rowsOfDeleted(page.files, path),
      cursor: page.cursor,
      exists: true,
      existingFolders: new Set(page.existingFolders),
      inOrder: false,
    };
  }
  const at = time.kind === "at" ? time.moment : undefined;
  const page = { folderPath: path, cursor, pageSize: MAX_PAGE_SIZE };
  return pageOf(await call("list", { ...page, at, order: at === undefined ? order : undefined }, signal));
}

export function pageOf(listing: ResultOf<"list">): Page {
  return {
    rows: rowsOf(listing),
    cursor: listing.nextCursor,
    exists: listing.exists ?? true,
    existingFolders: noFolders,
    inOrder: listing.source === "catalogue",
  };
}

export function rowsOf({ folders, files }: Pick<ResultOf<"list">, "folders" | "files">): Row[] {
  return [
    ...folders.map((folder): Row => ({ type: "folder", ...folder })),
    ...files.map((file): Row => ({ type: "file", ...file })),
  ];
}

/** Deleted files, and empty folders, below the folder `path`. */
export function rowsOfDeleted(files: ResultOf<"deleted">["files"], path: string): Row[] {
  const rows = files.map(({ key, name, folderPath, versionId, size, deletedAt, visitor }): Row => {
    const deletion = { at: deletedAt, ...(visitor && { visitor }) };
    return isFolderMarker(key, size)
      ? {
          type: "folder",
          name,
          path: joinPath(folderPath, name),
          deletion: { ...deletion, count: 1, size: 0 },
        }
      : { type: "file", name, key, versionId, size, lastModified: deletedAt, etag: "", deletion };
  });
  // The folder itself is not in it.
  return rows.filter((row) => isInside(folderOf(row), path));
}

/** `rows` and `more`; for the same id, the later row counts. */
export function withRows(rows: readonly Row[], more: readonly Row[]): Row[] {
  return new GrowingRows().add(rows, more);
}

/** As `withRows`, for rows that grow page by page: those that it has returned are not looked at again. */
export class GrowingRows {
  #rows: readonly Row[] = [];
  #byId = new Map<string, Row>();

  add(rows: readonly Row[], more: readonly Row[]): Row[] {
    if (rows !== this.#rows) this.#byId = new Map(rows.map((row) => [rowId(row), row]));
    for (const row of more) this.#byId.set(rowId(row), row);
    const all = [...this.#byId.values()];
    this.#rows = all;
    return all;
  }
}

/** What a finished upload adds. @param lastModified RFC 3339 */
export function addedRowOf({ upload, key }: UploadedFile, lastModified: string): AddedRow {
  const { folderPath, name, size, isFolder } = upload;
  if (isFolder) return { folderPath: joinPath(folderPath, name), file: null };
  return { folderPath, file: { name, key, size, lastModified, etag: "" } };
}

/**
 * The rows of `path` after a change. The same array if nothing has changed: a folder as it was never changes.
 * @param gone ids of rows; in the list of deleted files, all that was in a folder goes with it
 */
export function changedRows(
  { path, time, rows }: { path: string; time: FolderTime; rows: readonly Row[] },
  added: readonly AddedRow[],
  gone: ReadonlySet<string>,
): readonly Row[] {
  if (time.kind === "at") return rows;
  const isGone = (row: Row) => (time.kind === "deleted" ? isAmong(gone, row) : gone.has(rowId(row)));
  const kept = gone.size > 0 && rows.some(isGone) ? rows.filter((row) => !isGone(row)) : rows;
  if (time.kind === "deleted") return kept;
  const more = added.map((one) => rowIn(path, one)).filter((row) => row !== null);
  return more.length > 0 ? withRows(kept, more) : kept;
}

/** The row that an added file is in the folder `path`: the file, or the subfolder that it went into. */
function rowIn(path: string, { folderPath, file }: AddedRow): Row | null {
  if (folderPath === path) return file && { type: "file", ...file };
  if (!isInside(folderPath, path)) return null;
  const [name = ""] = relativePath(folderPath, path).split("/");
  return { type: "folder", name, path: joinPath(path, name) };
}
