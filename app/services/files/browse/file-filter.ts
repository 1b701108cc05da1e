import { type FileKind, fileKind } from "./file-kind";

/** Which files are wanted, besides their names. Without members, all are. */
export interface FileFilter {
  /** one of these */
  kinds?: Exclude<FileKind, "other">[] | undefined;
  /** last modified then or later; ISO 8601 */
  modifiedAfter?: string | undefined;
  /** last modified before; ISO 8601 */
  modifiedBefore?: string | undefined;
  /** bytes, at least */
  minSize?: number | undefined;
  /** bytes, at most */
  maxSize?: number | undefined;
}

/** Whether a filter leaves anything out. Folders have no kind, date or size, so such a filter leaves out all of them. */
export const isFiltering = (filter: FileFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

/** Returns a test whether a file is wanted. */
export function fileFilter({ kinds, modifiedAfter, modifiedBefore, minSize = 0, maxSize }: FileFilter) {
  const wanted = kinds && new Set<FileKind>(kinds);
  const from = modifiedAfter === undefined ? Number.NEGATIVE_INFINITY : Date.parse(modifiedAfter);
  const until = modifiedBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(modifiedBefore);
  return ({ name, size, lastModified }: { name: string; size: number; lastModified: string }): boolean => {
    if (size < minSize || (maxSize !== undefined && size > maxSize)) return false;
    if (wanted !== undefined && !wanted.has(fileKind(name))) return false;
    const modified = Date.parse(lastModified);
    return modified >= from && modified < until;
  };
}
