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
import { firstIndex } from "../../../../shared/first-index";
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

/** Compares two rows by their places in a list. */
type RowOrder = (a: Row, b: Row) => number;

/**
 * Folders first, then files. Folders have no date or type, and are sorted by name, except for those with deleted files. Of what was deleted, the date is that
 * of the deletion, and the type is the visitor's name.
 * @param folderBytes the sizes of all folders, by path; null: they are not known, and folders are sorted by name
 */
export function rowOrder(
  { column, descending }: Sort,
  compareNames: (a: string, b: string) => number,
  typeOf: (name: string) => string = fileKind,
  folderBytes: ReadonlyMap<string, number> | null = null,
): RowOrder {
  const direction = descending ? -1 : 1;
  return (a, b) => {
    if (a.type !== b.type) return a.type === "folder" ? -1 : 1;
    if (column !== "name") {
      const difference = compareRows(column, a, b, typeOf, folderBytes);
      if (difference !== 0) return difference * direction;
    }
    return compareNames(a.name, b.name) * (column === "name" ? direction : 1);
  };
}

/**
 * Sorts rows of which many were sorted before: only the others are. While the pages of a long folder or thousands of uploads arrive, the list is sorted again
 * and again, and comparing names is what takes long.
 * @param before rows in this order; those that are gone are left out
 */
export function sortRows(rows: readonly Row[], order: RowOrder, before: readonly Row[] = []): Row[] {
  const others = new Set(rows);
  const sorted = before.filter((row) => others.delete(row));
  return merged(sorted, [...others].sort(order), order);
}

/** Two sorted lists as one. @param few is much shorter */
function merged(many: readonly Row[], few: readonly Row[], order: RowOrder): Row[] {
  const all: Row[] = [];
  let from = 0;
  for (const row of few) {
    const to = placeOf(row, many, from, order);
    for (let index = from; index < to; index++) all.push(many[index] as Row);
    all.push(row);
    from = to;
  }
  return [...all, ...many.slice(from)];
}

/** The index in `sorted` at which a row belongs, after its equals. @param from it is not before this one, and probably near */
function placeOf(row: Row, sorted: readonly Row[], from: number, order: RowOrder): number {
  const isAfter = (index: number) => order(row, sorted[index] as Row) >= 0;
  let low = from;
  let step = 1;
  while (low + step <= sorted.length && isAfter(low + step - 1)) {
    low += step;
    step *= 2;
  }
  return firstIndex(low, Math.min(low + step - 1, sorted.length), (index) => !isAfter(index));
}

/** Returns a test whether a row in or below the folder `here` is shown. */
export function rowFilter({
  here,
  filter,
  files = {},
}: {
  here: string;
  filter: string;
  files?: FileFilter;
}) {
  const isNamed = foldedMatcher(filter);
  const isWanted = fileFilter(files);
  const hasFolders = !isFiltering(files);
  return (row: Row): boolean =>
    (filter === "" || isNamed(foldedNameOf(row), () => foldName(whereIs(row, here) ?? ""))) &&
    (hasFolders || (row.type === "file" && isWanted(row)));
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
