import {
  type Deletion,
  type FolderTime,
  folderOf,
  isBelow,
  type Moved,
  pathOf,
  prefixOf,
  type Row,
  relativePath,
  rowId,
} from "platform-embed-element/client";
import { foldedMatcher, foldName } from "../../../../shared/fold-name";
import { nameOfVisitor } from "../../screen/visitor-name";
import { type FileFilter, fileFilter, isFiltering } from "../file-filter";
import { fileKind } from "../file-kind";

/** The folder of a search result, relative to the open folder `here`; null if it is in that folder. */
export function whereIs(row: Row, here: string): string | null {
  const folder = folderOf(row);
  return folder === here ? null : relativePath(folder, here);
}

/** in the order in which they are shown */
export const sortColumns = ["name", "type", "modified", "size"] as const;
export type SortColumn = (typeof sortColumns)[number];

/** Of deleted files, these columns show who deleted them and when. */
const isOfDeletion = (column: SortColumn, { kind }: FolderTime): column is "type" | "modified" =>
  kind === "deleted" && (column === "type" || column === "modified");

/** The title of a column, as a key of the explorer's sentences. */
export const columnTitle = (column: SortColumn, time: FolderTime) =>
  isOfDeletion(column, time) ? (`past.columns.${column}` as const) : column;

/** "Sort by …", as a key of the explorer's sentences. */
export const orderTitle = (column: SortColumn, time: FolderTime) =>
  isOfDeletion(column, time) ? (`past.sortedBy.${column}` as const) : (`look.sortedBy.${column}` as const);

export interface Sort {
  column: SortColumn;
  descending: boolean;
}

/**
 * Filters what is in or below the folder `here`, and sorts: folders first, then files. Folders have no date or type, and are sorted by name, except for those with
 * deleted files. Of what was deleted, the date is that of the deletion, and the type is the visitor's name.
 * @param folderBytes the sizes of all folders, by path; null: they are not known, and folders are sorted by name
 */
export function arrangeRows(
  rows: readonly Row[],
  { here, filter, files = {} }: { here: string; filter: string; files?: FileFilter },
  sort: Sort,
  compareNames: (a: string, b: string) => number,
  typeOf: (name: string) => string = fileKind,
  folderBytes: ReadonlyMap<string, number> | null = null,
): Row[] {
  const isWanted = foldedMatcher(filter);
  const named =
    filter === ""
      ? rows
      : rows.filter((row) => isWanted(foldedNameOf(row), () => foldName(whereIs(row, here) ?? "")));
  const matching = isFiltering(files) ? filesOnly(named, files) : [...named];
  const direction = sort.descending ? -1 : 1;
  return matching.sort((a, b) => {
    if (a.type !== b.type) return a.type === "folder" ? -1 : 1;
    if (sort.column !== "name") {
      const difference = compareRows(sort.column, a, b, typeOf, folderBytes);
      if (difference !== 0) return difference * direction;
    }
    return compareNames(a.name, b.name) * (sort.column === "name" ? direction : 1);
  });
}

/** The files that a filter leaves. */
export function filesOnly(rows: readonly Row[], files: FileFilter): Row[] {
  const isWanted = fileFilter(files);
  return rows.filter((row) => row.type === "file" && isWanted(row));
}

/** Cached: thousands of results are filtered again with every letter and every page of a search. */
const foldedNames = new WeakMap<Row, string>();
function foldedNameOf(row: Row): string {
  const known = foldedNames.get(row);
  if (known !== undefined) return known;
  const folded = foldName(row.name);
  foldedNames.set(row, folded);
  return folded;
}

function compareRows(
  column: Exclude<SortColumn, "name">,
  a: Row,
  b: Row,
  typeOf: (name: string) => string,
  folderBytes: ReadonlyMap<string, number> | null,
): number {
  if (column === "size") return bytesOf(a, folderBytes) - bytesOf(b, folderBytes);
  if (column === "modified") return compareText(dateOf(a), dateOf(b));
  const typeOfRow = (row: Row) => {
    if (row.deletion) return visitorName(row.deletion);
    return row.type === "file" ? typeOf(row.name) : "";
  };
  return compareText(typeOfRow(a), typeOfRow(b));
}

/** The size of a file, or of all deleted files in a folder, bytes; of other folders as far as it is known, otherwise 0. */
export function bytesOf(row: Row, folderBytes: ReadonlyMap<string, number> | null = null): number {
  return row.type === "file" ? row.size : (row.deletion?.size ?? folderBytes?.get(row.path) ?? 0);
}

/** When it was deleted or last modified; empty for other folders. */
function dateOf(row: Row): string {
  return row.deletion?.at ?? (row.type === "file" ? row.lastModified : "");
}

/** Who deleted it; empty if unknown. */
export const visitorName = ({ visitor }: Deletion): string => (visitor ? nameOfVisitor(visitor) : "");

/**
 * `rows` in the order of `before`, new ones last. While thousands of uploads arrive, the list is sorted ten times a second, and sorting an
 * almost sorted list is fast.
 */
export function inOrderOf(before: readonly Row[], rows: readonly Row[]): Row[] {
  const others = new Set(rows);
  const known = before.filter((row) => others.delete(row));
  return [...known, ...others];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Search results below `here` after a change: moved rows and rows in moved folders get their new paths; rows that left `here` are removed. */
export function followMoves(rows: readonly Row[], moved: readonly Moved[], here: string): Row[] {
  const byId = new Map(moved.map((one) => [rowId(one.from), one]));
  const folders = moved.filter(({ from }) => from.type === "folder");
  const follow = (row: Row): Row | null => {
    const own = byId.get(rowId(row));
    if (own) return own.to;
    const above = folders.find(({ from }) => isBelow(pathOf(row), pathOf(from)));
    if (!above) return row;
    if (!above.to) return null;
    return withPath(row, `/${prefixOf(pathOf(above.to))}${relativePath(pathOf(row), pathOf(above.from))}`);
  };
  return rows.map(follow).filter((row) => row !== null && isBelow(pathOf(row), here)) as Row[];
}

function withPath(row: Row, path: string): Row {
  return row.type === "folder" ? { ...row, path } : { ...row, key: path.slice(1) };
}
