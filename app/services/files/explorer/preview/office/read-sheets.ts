import { readOds } from "hucre/ods";
import type { Cell, CellValue, MergeRange, Sheet } from "hucre/xlsx";
import { readXlsx } from "hucre/xlsx";
import { addLocale, format, getLocale } from "numfmt";
import { shortenText } from "../../bounded-text";
import type { SheetForm } from "../preview-plan";
import { type CellColors, colorReader } from "./sheet-colors";
import { asOfficeProblem, unpackOffice } from "./unpack";

/** The visible sheets of a workbook, as text. */
export interface SheetBook {
  sheets: SheetTable[];
  /** there are more sheets */
  cut: boolean;
}

export interface SheetTable {
  name: string;
  /** how the sheet is laid out */
  direction: "ltr" | "rtl";
  /** the visible columns */
  columns: SheetColumn[];
  /** the visible rows */
  rows: SheetRow[];
  merges: SheetMerge[];
  /** how many of the first rows and columns stay in place */
  frozen: { rows: number; columns: number };
  /** there are more rows or columns */
  cut: boolean;
}

export interface SheetColumn {
  /** `A`, `B`… */
  name: string;
  /** characters */
  width: number;
}

export interface SheetRow {
  /** from 1 */
  number: number;
  /** by column; null for an empty one */
  cells: (SheetCell | null)[];
}

export interface SheetCell extends CellColors {
  /** empty for a cell that has only a colour */
  text: string;
  align: "start" | "end" | "center";
  bold?: true;
  italic?: true;
}

/** Cells that are shown as one; in rows and columns of the table, from 0. */
export interface SheetMerge {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

export const MAX_SHEETS = 50;
export const MAX_ROWS = 5_000;
export const MAX_COLUMNS = 100;
/** Of all sheets together. */
export const MAX_CELLS = 300_000;
/** Longer cells are cut: a browser lays out all of their text. */
const MAX_CELL_LENGTH = 300;
/** Of a sheet. Programs allow 31 characters. */
const MAX_NAME_LENGTH = 100;
/** Of the file's XML. A million cells have half of this. */
const MAX_TAGS = 8_000_000;
const MAX_MERGES = 2_000;
/** More would leave no room for the others. */
const MAX_FROZEN_ROWS = 8;
const MAX_FROZEN_COLUMNS = 4;
/** Characters. */
const DEFAULT_WIDTH = 9;
const MAX_WIDTH = 60;

// numfmt writes European digits in Arabic, which need the separators that browsers write with them.
addLocale({ ...getLocale("ar"), group: ",", decimal: "." }, "ar");

/** One row and one column more than are shown, to notice that there are more. */
const range = `A1:${columnName(MAX_COLUMNS)}${MAX_ROWS + 1}`;

/**
 * Reads a workbook (`.xlsx`, `.xlsm`, `.ods`). Formulas have the values with which they were stored. Macros, links, pictures and charts are
 * ignored.
 * @param language of dates and numbers, a BCP 47 tag
 * @throws OfficeProblem
 */
export async function readSheets(
  bytes: Uint8Array<ArrayBuffer>,
  form: SheetForm,
  language: string,
): Promise<SheetBook> {
  const archive = unpackOffice(bytes, (path) => /\.(xml|rels)$|^mimetype$/i.test(path), MAX_TAGS);
  try {
    const read = form === "ods" ? readOds : readXlsx;
    const book = await read(archive, { readStyles: true, maxRows: MAX_ROWS + 1, range });
    const visible = book.sheets.filter(({ hidden, veryHidden }) => !hidden && !veryHidden);
    const budget = { cells: MAX_CELLS };
    const format = { language, colorsOf: colorReader(book.themeColors) };
    const sheets = visible.slice(0, MAX_SHEETS).map((sheet) => tableOf(sheet, format, budget));
    return { sheets, cut: visible.length > MAX_SHEETS };
  } catch (error) {
    throw asOfficeProblem(error);
  }
}

interface CellFormat {
  language: string;
  colorsOf: ReturnType<typeof colorReader>;
}

function tableOf(sheet: Sheet, format: CellFormat, budget: { cells: number }): SheetTable {
  showUncomputed(sheet);
  const merges = withoutOverlaps((sheet.merges ?? []).slice(0, MAX_MERGES));
  const width = Math.min(
    sheet.rows.reduce((most, row) => Math.max(most, usedCells(row)), 0),
    MAX_COLUMNS + 1,
  );
  const height = usedRows(sheet.rows);
  const columns = indexes(Math.min(width, MAX_COLUMNS)).filter((column) => !sheet.columns?.[column]?.hidden);
  const allRows = indexes(Math.min(height, MAX_ROWS)).filter((row) => !sheet.rowDefs?.get(row)?.hidden);
  const affordable = Math.floor(budget.cells / Math.max(columns.length, 1));
  const rows = allRows.slice(0, affordable);
  budget.cells -= rows.length * columns.length;
  return {
    name: shortenText(sheet.name, MAX_NAME_LENGTH),
    direction: sheet.view?.rightToLeft ? "rtl" : "ltr",
    columns: columns.map((column) => ({
      name: columnName(column),
      width: Math.min(sheet.columns?.[column]?.width ?? DEFAULT_WIDTH, MAX_WIDTH),
    })),
    rows: rows.map((row) => ({
      number: row + 1,
      cells: columns.map((column) =>
        cellOf(sheet.rows[row]?.[column] ?? null, sheet.cells?.get(`${row},${column}`), format),
      ),
    })),
    merges: merges.flatMap(({ startRow, endRow, startCol, endCol }) => {
      const place = span(rows, startRow, endRow);
      const across = span(columns, startCol, endCol);
      return place && across
        ? [{ row: place.first, rows: place.length, column: across.first, columns: across.length }]
        : [];
    }),
    frozen: {
      rows: frozenCount(rows, sheet.freezePane?.rows, MAX_FROZEN_ROWS),
      columns: frozenCount(columns, sheet.freezePane?.columns, MAX_FROZEN_COLUMNS),
    },
    cut: height > MAX_ROWS || width > MAX_COLUMNS || rows.length < allRows.length,
  };
}

/** Overlapping ranges are invalid. Without them, all ranges together have no more cells than the sheet. */
function withoutOverlaps(merges: MergeRange[]): MergeRange[] {
  const kept: MergeRange[] = [];
  for (const range of merges) {
    const overlaps = kept.some(
      ({ startRow, endRow, startCol, endCol }) =>
        range.startRow <= endRow &&
        range.endRow >= startRow &&
        range.startCol <= endCol &&
        range.endCol >= startCol,
    );
    if (!overlaps) kept.push(range);
  }
  return kept;
}

/** Programs that do not compute store formulas without a value. Then the formula is shown. */
function showUncomputed({ rows, cells }: Sheet): void {
  for (const [place, { formula, value }] of cells ?? []) {
    if (!formula || value !== null) continue;
    const [row = 0, column = 0] = place.split(",").map(Number);
    while (rows.length <= row) rows.push([]);
    const line = rows[row] as CellValue[];
    while (line.length < column) line.push(null);
    line[column] = `=${formula}`;
  }
}

const indexes = (length: number) => Array.from({ length }, (_, index) => index);

const usedCells = (row: CellValue[]) => lengthUntilLast(row, (value) => value !== null);

const usedRows = (rows: CellValue[][]) => lengthUntilLast(rows, (row) => usedCells(row) > 0);

function lengthUntilLast<Item>(items: Item[], isUsed: (item: Item) => boolean): number {
  let length = items.length;
  while (length > 0 && !isUsed(items[length - 1] as Item)) length--;
  return length;
}

/** The part of a range that is visible; null if there is none. */
function span(visible: number[], from: number, to: number): { first: number; length: number } | null {
  const first = visible.findIndex((index) => index >= from);
  const length = visible.filter((index) => index >= from && index <= to).length;
  return first === -1 || length === 0 ? null : { first, length };
}

/** How many of the visible rows or columns are frozen; none if they would take all the room. */
function frozenCount(visible: number[], frozen: number | undefined, most: number): number {
  const count = visible.filter((index) => index < (frozen ?? 0)).length;
  return count > most ? 0 : count;
}

/** `A` to `Z`, `AA`… @param index from 0 */
function columnName(index: number): string {
  const before = Math.floor(index / 26);
  return (before > 0 ? columnName(before - 1) : "") + String.fromCharCode(65 + (index % 26));
}

function cellOf(
  value: CellValue,
  cell: Cell | undefined,
  { language, colorsOf }: CellFormat,
): SheetCell | null {
  const text = shortenText(textOf(value, cell, language), MAX_CELL_LENGTH);
  const colors = colorsOf(cell?.style);
  if (text === "" && colors.fill === undefined) return null;
  const shown: SheetCell = { text, align: alignmentOf(value, cell), ...colors };
  if (cell?.style?.font?.bold) shown.bold = true;
  if (cell?.style?.font?.italic) shown.italic = true;
  return shown;
}

function alignmentOf(value: CellValue, cell: Cell | undefined): SheetCell["align"] {
  const chosen = cell?.style?.alignment?.horizontal;
  if (chosen === "center" || chosen === "centerContinuous") return "center";
  if (chosen === "right") return "end";
  if (chosen === "left") return "start";
  if (typeof value === "boolean" || cell?.type === "error") return "center";
  return typeof value === "number" || value instanceof Date ? "end" : "start";
}

function textOf(value: CellValue, cell: Cell | undefined, language: string): string {
  if (value === null || value === "") return "";
  const pattern = cell?.style?.numFmt ?? "General";
  if (typeof value === "string" && !pattern.includes("@")) return value;
  if (value instanceof Date && (pattern === "General" || systemDates.has(pattern)))
    return dateText(value, language);
  try {
    return format(pattern, value instanceof Date ? serialOf(value) : value, { locale: language });
  } catch {
    return String(value instanceof Date ? value.toISOString() : value);
  }
}

/** Formats for which spreadsheet programs take the system's date. */
const systemDates = new Set(["m/d/yyyy", "m/d/yyyy h:mm", "mm-dd-yy"]);

/** The reader gives dates of a spreadsheet, which have no time zone, in UTC. */
function dateText(date: Date, language: string): string {
  const hasTime = date.getTime() % DAY_MS !== 0;
  return date.toLocaleString(language, {
    timeZone: "UTC",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...(hasTime ? { hour: "2-digit", minute: "2-digit" } : {}),
  });
}

const DAY_MS = 86_400_000;
/** Days from the beginning of a spreadsheet's calendar to 1970. */
const DAYS_BEFORE_1970 = 25_569;
const serialOf = (date: Date) => date.getTime() / DAY_MS + DAYS_BEFORE_1970;
