import type { DateSystem, RawValue } from "./format-value";
import type { Color } from "./sheet-colors";

/** The visible sheets of a workbook, with values and formats as its file has them. */
export interface SourceBook {
  sheets: SourceSheet[];
  dates: DateSystem;
  /** as hucre returns them */
  themeColors: string[];
  /** there are more sheets */
  cut: boolean;
}

export interface SourceSheet {
  name: string;
  /** null if there are none, as in a chart, or if the sheet is damaged */
  grid: SourceGrid | null;
}

/** Rows and columns count from 0. */
export interface SourceGrid {
  /** undefined for an empty row */
  rows: (SourceRow | undefined)[];
  columns: SourceColumn[];
  merges: SourceMerge[];
  frozen: { rows: number; columns: number };
  direction: "ltr" | "rtl";
  /** there are cells in further rows or columns */
  cut: boolean;
  /** pictures, charts or drawings lie over the cells */
  hasPictures: boolean;
}

export interface SourceRow {
  cells: (SourceCell | undefined)[];
  isHidden: boolean;
}

export interface SourceColumn {
  /** characters */
  width?: number;
  isHidden: boolean;
}

export interface SourceCell {
  value: RawValue;
  style: SourceStyle;
  isError?: boolean;
}

/** The last row and column included. */
export interface SourceMerge {
  startRow: number;
  endRow: number;
  startColumn: number;
  endColumn: number;
}

export interface SourceStyle {
  /** number format, as Excel writes it; empty for one that Excel does not have */
  format: string;
  isBold?: boolean;
  isItalic?: boolean;
  align?: "start" | "end" | "center";
  /** only a solid one */
  fill?: Color;
  color?: Color;
}

export const PLAIN_STYLE: SourceStyle = { format: "General" };

export const MAX_SHEETS = 50;
export const MAX_ROWS = 5_000;
export const MAX_COLUMNS = 100;
export const MAX_MERGES = 2_000;

export const emptyGrid = (): SourceGrid => ({
  rows: [],
  columns: [],
  merges: [],
  frozen: { rows: 0, columns: 0 },
  direction: "ltr",
  cut: false,
  hasPictures: false,
});

/** Puts a cell into the grid. Cells that are not shown only set `cut`. */
export function putCell(grid: SourceGrid, row: number, column: number, cell: SourceCell): void {
  if (!(row >= 0 && column >= 0)) return;
  if (row >= MAX_ROWS || column >= MAX_COLUMNS) {
    if (cell.value !== null) grid.cut = true;
    return;
  }
  rowOf(grid, row).cells[column] = cell;
}

/** The row at an index below `MAX_ROWS`. */
export function rowOf(grid: SourceGrid, index: number): SourceRow {
  grid.rows[index] ??= { cells: [], isHidden: false };
  return grid.rows[index];
}
