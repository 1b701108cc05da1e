import { useMemo, useRef } from "react";
import { directionOf } from "../../browse/decode-text";
import { rowRanges, useRowWindow } from "../../browse/grid/use-row-window";
import { shortenText } from "../../screen/bounded-text";
import { useLanguage } from "../../screen/language";

/** Longer cells are cut: a browser lays out all of their text. */
const MAX_CELL_LENGTH = 300;
const shorten = (cell = "") => shortenText(cell, MAX_CELL_LENGTH);

/** A CSV file as a table, windowed. */
export function TableView({ text, label }: { text: string; label: string }) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const table = useMemo(() => parseTable(text), [text]);
  const [head = [], ...rows] = table.rows;
  const columns = Array.from({ length: table.columns }, (_, column) => column);
  const view = useRowWindow(scroller, rows.length);
  return (
    <>
      {table.cut && (
        <p className="preview__cut">{t("look.tableCut", { rows: rows.length, columns: table.columns })}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section className="preview__scroll" tabIndex={0} aria-label={label} ref={scroller}>
        {/* Its first column is on the side where its text begins. */}
        <table className="table" dir={directionOf(text)} aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th key={column} scope="col" dir="auto">
                  {shorten(head[column])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowRanges(view, rows.length, -1).map((range) =>
              "gap" in range ? (
                <tr key={range.key} style={{ height: range.gap }} />
              ) : (
                <tr key={range.index} data-row={range.index} aria-rowindex={range.index + 2}>
                  {columns.map((column) => (
                    <td key={column} dir="auto">
                      {shorten(rows[range.index]?.[column])}
                    </td>
                  ))}
                </tr>
              ),
            )}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Further rows and columns are not shown. */
export const MAX_ROWS = 20_000;
export const MAX_COLUMNS = 200;

export interface Table {
  /** the first is the header; each has at most `columns` cells */
  rows: string[][];
  columns: number;
  /** there are more rows or columns */
  cut: boolean;
}

const delimiters = [",", ";", "\t", "|"];
/** The delimiter is detected from this many rows. */
const ROWS_TO_JUDGE = 20;

/** Parses CSV or TSV (RFC 4180). The delimiter is the one that gives the most rows the same number of cells. */
export function parseTable(text: string): Table {
  // Excel names the delimiter in a first line.
  const told = /^sep=(.)\r?\n/.exec(text);
  const body = told ? text.slice(told[0].length) : text;
  const delimiter = told?.[1] ?? findDelimiter(body);
  const all = readRows(body, delimiter, MAX_ROWS + 1);
  const widest = all.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Math.min(widest, MAX_COLUMNS);
  const rows = all.slice(0, MAX_ROWS).map((row) => (row.length > columns ? row.slice(0, columns) : row));
  return { rows, columns, cut: all.length > MAX_ROWS || widest > columns };
}

function findDelimiter(text: string): string {
  let best = { delimiter: ",", score: 0 };
  for (const delimiter of delimiters) {
    const rows = readRows(text, delimiter, ROWS_TO_JUDGE);
    const first = rows[0]?.length ?? 0;
    const alike = rows.filter((row) => row.length === first).length;
    const score = first > 1 ? (alike / rows.length) * 1000 + first : 0;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** The first `most` rows, in linear time for any text. */
function readRows(text: string, delimiter: string, most: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  // An unclosed quote counts as an ordinary character: otherwise the rest of the file would be one cell.
  let lastQuote = text.lastIndexOf('"');
  while (at <= text.length && rows.length < most) {
    const cell = text[at] === '"' && at < lastQuote ? readQuoted(text, at) : null;
    if (cell?.end === -1) {
      lastQuote = -1;
      continue;
    }
    const end = endOfCell(text, cell?.end ?? at, delimiter);
    row.push(cell ? cell.value + text.slice(cell.end, end) : text.slice(at, end));
    at = end + 1;
    if (text[end] === delimiter) continue;
    if (text[end] === "\r" && text[end + 1] === "\n") at++;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

/** The quoted cell at `from`. `end`: the position after its closing quote, or -1 if there is none. */
function readQuoted(text: string, from: number): { value: string; end: number } {
  for (let close = text.indexOf('"', from + 1); close !== -1; close = text.indexOf('"', close + 2)) {
    if (text[close + 1] === '"') continue;
    return { value: text.slice(from + 1, close).replaceAll('""', '"'), end: close + 1 };
  }
  return { value: "", end: -1 };
}

function endOfCell(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at++;
  return at;
}
