import type { SheetMerge } from "./read-sheets";

interface PlacedMerge {
  /** whose cell has the text */
  row: number;
  rows: number;
  columns: number;
}

interface PlacedMerges {
  /** what begins at a place, `covered` if a range covers it, undefined for an ordinary cell */
  at(row: number, column: number): PlacedMerge | "covered" | undefined;
}

/**
 * Merged cells among the rows from `first` to `end` (exclusive), which are in the page. A range that begins above them begins at the first
 * one of them, and one that ends below them ends at the last.
 */
export function placeMerges(merges: SheetMerge[], first: number, end: number): PlacedMerges {
  const places = new Map<string, PlacedMerge | "covered">();
  for (const merge of merges) {
    const top = Math.max(merge.row, first);
    const bottom = Math.min(merge.row + merge.rows, end);
    for (let row = top; row < bottom; row++) {
      for (let column = merge.column; column < merge.column + merge.columns; column++)
        places.set(`${row},${column}`, "covered");
    }
    if (top < bottom)
      places.set(`${top},${merge.column}`, { row: merge.row, rows: bottom - top, columns: merge.columns });
  }
  return { at: (row, column) => places.get(`${row},${column}`) };
}
