import { shortenText } from "../../screen/bounded-text";
import type { SheetForm } from "../preview-plan";
import { formatValue, type ValueOptions } from "./format-value";
import { readOds } from "./read-ods";
import { readXlsx } from "./read-xlsx";
import { type CellColors, colorReader } from "./sheet-colors";
import {
  emptyGrid,
  type SourceCell,
  type SourceGrid,
  type SourceMerge,
  type SourceSheet,
} from "./sheet-source";
import { asOfficeProblem, unpackOffice } from "./unpack";

/** The visible sheets of a workbook, as text. */
export interface SheetBook {
  sheets: SheetTable[];
  /** there are more sheets */
  cut: boolean;
}

export interface SheetTable {
  name: string;
  /** false for a chart, and for a sheet that is damaged */
  hasCells: boolean;
  /** pictures, charts or drawings lie over the cells */
  hasPictures: boolean;
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

/** Of all sheets together. */
export const MAX_CELLS = 300_000;
/** Longer cells are cut: a browser lays out all of their text. */
const MAX_CELL_LENGTH = 300;
/** Of a sheet. Programs allow 31 characters. */
const MAX_NAME_LENGTH = 100;
/** Of the file's XML. A million cells have half of this. */
const MAX_TAGS = 8_000_000;
/** More would leave no room for the others. */
const MAX_FROZEN_ROWS = 8;
const MAX_FROZEN_COLUMNS = 4;
/** Characters. */
const DEFAULT_WIDTH = 9;
const MAX_WIDTH = 60;

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
  const parts = unpackOffice(bytes, (path) => /\.(xml|rels)$/i.test(path), MAX_TAGS);
  try {
    const read = form === "ods" ? readOds : readXlsx;
    const { sheets, dates, themeColors, cut } = read(parts, language);
    const budget = { cells: MAX_CELLS };
    const format = { values: { language, dates }, colorsOf: colorReader(themeColors) };
    return { sheets: sheets.map((sheet) => tableOf(sheet, format, budget)), cut };
  } catch (error) {
    throw asOfficeProblem(error);
  }
}

interface CellFormat {
  values: ValueOptions;
  colorsOf: ReturnType<typeof colorReader>;
}

function tableOf({ name, grid }: SourceSheet, format: CellFormat, budget: { cells: number }): SheetTable {
  const sheet = grid ?? emptyGrid();
  const merges = withoutOverlaps(sheet.merges);
  const width = sheet.rows.reduce((most, row) => Math.max(most, usedCells(row)), 0);
  const height = usedRows(sheet.rows);
  const columns = indexes(width).filter((column) => !sheet.columns[column]?.isHidden);
  const allRows = indexes(height).filter((row) => !sheet.rows[row]?.isHidden);
  const affordable = Math.floor(budget.cells / Math.max(columns.length, 1));
  const rows = allRows.slice(0, affordable);
  budget.cells -= rows.length * columns.length;
  return {
    name: shortenText(name, MAX_NAME_LENGTH),
    hasCells: grid !== null,
    hasPictures: sheet.hasPictures,
    direction: sheet.direction,
    columns: columns.map((column) => ({
      name: columnName(column),
      width: Math.min(sheet.columns[column]?.width ?? DEFAULT_WIDTH, MAX_WIDTH),
    })),
    rows: rows.map((row) => ({
      number: row + 1,
      cells: columns.map((column) => cellOf(sheet.rows[row]?.cells[column], format)),
    })),
    merges: merges.flatMap(({ startRow, endRow, startColumn, endColumn }) => {
      const place = span(rows, startRow, endRow);
      const across = span(columns, startColumn, endColumn);
      return place && across
        ? [{ row: place.first, rows: place.length, column: across.first, columns: across.length }]
        : [];
    }),
    frozen: {
      rows: frozenCount(rows, sheet.frozen.rows, MAX_FROZEN_ROWS),
      columns: frozenCount(columns, sheet.frozen.columns, MAX_FROZEN_COLUMNS),
    },
    cut: sheet.cut || rows.length < allRows.length,
  };
}

/** Overlapping ranges are invalid. Without them, all ranges together have no more cells than the sheet. */
function withoutOverlaps(merges: SourceMerge[]): SourceMerge[] {
  const kept: SourceMerge[] = [];
  for (const range of merges) {
    const overlaps = kept.some(
      ({ startRow, endRow, startColumn, endColumn }) =>
        range.startRow <= endRow &&
        range.endRow >= startRow &&
        range.startColumn <= endColumn &&
        range.endColumn >= startColumn,
    );
    if (!overlaps) kept.push(range);
  }
  return kept;
}

const indexes = (length: number) => Array.from({ length }, (_, index) => index);

/** How many columns of a row are used. */
const usedCells = (row: SourceGrid["rows"][number]) =>
  row ? lengthUntilLast(row.cells, (cell) => cell !== undefined && cell.value !== null) : 0;

const usedRows = (rows: SourceGrid["rows"]) => lengthUntilLast(rows, (row) => usedCells(row) > 0);

function lengthUntilLast<Item>(items: Item[], isUsed: (item: Item | undefined) => boolean): number {
  let length = items.length;
  while (length > 0 && !isUsed(items[length - 1])) length--;
  return length;
}

/** The part of a range that is visible; null if there is none. */
function span(visible: number[], from: number, to: number): { first: number; length: number } | null {
  const first = visible.findIndex((index) => index >= from);
  const length = visible.filter((index) => index >= from && index <= to).length;
  return first === -1 || length === 0 ? null : { first, length };
}

/** How many of the visible rows or columns are frozen; none if they would take all the room. */
function frozenCount(visible: number[], frozen: number, most: number): number {
  const count = visible.filter((index) => index < frozen).length;
  return count > most ? 0 : count;
}

/** `A` to `Z`, `AA`… @param index from 0 */
function columnName(index: number): string {
  const before = Math.floor(index / 26);
  return (before > 0 ? columnName(before - 1) : "") + String.fromCharCode(65 + (index % 26));
}

function cellOf(cell: SourceCell | undefined, { values, colorsOf }: CellFormat): SheetCell | null {
  if (!cell) return null;
  const { value, style } = cell;
  const text = shortenText(formatValue(value, style.format, values), MAX_CELL_LENGTH);
  const colors = colorsOf(style.fill, style.color);
  if (text === "" && colors.fill === undefined) return null;
  const shown: SheetCell = { text, align: alignmentOf(cell), ...colors };
  if (style.isBold) shown.bold = true;
  if (style.isItalic) shown.italic = true;
  return shown;
}

function alignmentOf({ value, style, isError }: SourceCell): SheetCell["align"] {
  if (style.align) return style.align;
  if (typeof value === "boolean" || isError) return "center";
  return typeof value === "number" ? "end" : "start";
}
