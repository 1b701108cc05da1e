/** Further rows and columns are not shown. */
export const MAX_ROWS = 20_000;
export const MAX_COLUMNS = 200;

export interface Table {
  /** lines before the table, such as the title of a report */
  titles: string[];
  /** The first row has the headings of the columns. */
  hasHeadings: boolean;
  /** each has at most `columns` cells */
  rows: string[][];
  columns: number;
  /** there are more rows or columns */
  cut: boolean;
}

const delimiters = [",", ";", "\t", "|"];
/** The layout is found from this many rows. */
const ROWS_TO_JUDGE = 100;
/** More lines before the table are rows of it. */
const MAX_TITLES = 15;

/** Parses CSV or TSV (RFC 4180), also with lines before the table, as banks and reports have them. */
export function parseTable(text: string): Table {
  // Excel names the delimiter in a first line.
  const told = /^sep=(.)\r?\n/.exec(text);
  const body = told ? text.slice(told[0].length) : text;
  const delimiter = told?.[1] ?? findDelimiter(body);
  const all = delimiter === null ? readLines(body) : readRows(body, delimiter, MAX_ROWS + MAX_TITLES + 1);
  const start = findStart(all.slice(0, ROWS_TO_JUDGE));
  const titles = all.slice(0, start).map((row) => row.filter((cell) => cell.trim() !== "").join("  "));
  const whole = all.slice(start);
  const widest = whole.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Math.min(widest, MAX_COLUMNS);
  const rows = whole.slice(0, MAX_ROWS).map((row) => (row.length > columns ? row.slice(0, columns) : row));
  return {
    titles: titles.map((title) => title.trim()).filter((title) => title !== ""),
    hasHeadings: hasHeadings(rows),
    rows,
    columns,
    cut: whole.length > MAX_ROWS || widest > columns,
  };
}

/** A text without a delimiter: one column. */
const readLines = (text: string) => readRows(text, NO_DELIMITER, MAX_ROWS + 1);
/** No text has it. */
const NO_DELIMITER = "\uffff";

/** A number, an amount of money, a date or a time. */
const valuePattern = /^[-+(]?\p{Sc}?\s?\d[\d\s.,:/'’+\-TZ]*(\s?[%\p{Sc})]|\s[A-Z]{3})?$/u;
const MAX_VALUE_LENGTH = 40;
const isValue = (cell: string) => cell.length <= MAX_VALUE_LENGTH && valuePattern.test(cell.trim());
const isFilled = (cell: string | undefined) => cell !== undefined && cell.trim() !== "";

/** The delimiter that gives most rows the same number of cells, and numbers in them; null if there is one column. */
function findDelimiter(text: string): string | null {
  let best: { delimiter: string | null; score: number } = { delimiter: null, score: 0 };
  for (const delimiter of delimiters) {
    const rows = readRows(text, delimiter, ROWS_TO_JUDGE);
    const width = usualWidth(rows);
    const first = rows.findIndex((row) => row.length === width);
    if (first === -1 || isProse(rows.slice(first), first)) continue;
    const alike = rows.filter((row) => row.length === width);
    const cells = alike.flat();
    const share = alike.length / (rows.length - first);
    const values = cells.filter(isValue).length / cells.length;
    const score = alike.length * share * (1 + values) + width / MAX_COLUMNS;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** How many cells the rows of the table have: most cells are in rows of this length. 0 if all rows have one. */
function usualWidth(rows: string[][]): number {
  const counts = new Map<number, number>();
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
  // Lines of a title above a short table may be more than its rows. A single long row is none.
  const cells = ([width, count]: [number, number]) => (count > 1 ? width * count : count);
  return [...counts].reduce((best, each) => (cells(each) >= cells(best) ? each : best), [0, 0])[0];
}

/** One column whose texts have a comma each: decimal numbers or names, below a heading without one. @param before rows above */
function isProse(rows: string[][], before: number): boolean {
  if (before !== 1) return false;
  const isDecimal = rows.every(
    ([whole = "", decimals = ""]) => /^[-+]?\d+$/.test(whole) && /^\d{1,2}$/.test(decimals),
  );
  return (
    rows.every(({ length }) => length === 2) &&
    (isDecimal || rows.every(([, second = ""]) => second.startsWith(" ")))
  );
}

/** The index of the table's first row. Before it are lines with fewer cells, or with empty ones. */
function findStart(rows: string[][]): number {
  const width = usualWidth(rows);
  const isTitle = (row: string[]) =>
    row.length < width || (isFilled(row[0]) && row.filter(isFilled).length === 1);
  const isEmpty = (row: string[]) => !row.some(isFilled);
  // What programs fill up with delimiters ends with a row of them only.
  const empty = rows.findIndex(isEmpty);
  const isPadded =
    empty !== -1 && rows.slice(0, empty).every((row) => row.filter(isFilled).length * 2 <= width);
  let start = isPadded ? empty : 0;
  while (start < rows.length && (isEmpty(rows[start] ?? []) || isTitle(rows[start] ?? []))) start++;
  // Rows that end with a delimiter have one cell more than the headings above them.
  const headings = rows[start - 1];
  if (headings && headings.length === width - 1 && headings.length > 1 && !isFilled(rows[start]?.[width - 1]))
    start--;
  return width === 0 || start === rows.length || start > MAX_TITLES ? 0 : start;
}

/** Years stand above columns, too. */
const isYear = (cell: string) => /^(19|20)\d\d$/.test(cell.trim());

/** Whether the first row has words where the rows below have numbers. */
function hasHeadings([first = [], ...rows]: string[][]): boolean {
  if (rows.length === 0) return true;
  return !first.some(
    (cell, column) =>
      isValue(cell) &&
      !isYear(cell) &&
      rows.slice(0, ROWS_TO_JUDGE).some((row) => isValue(row[column] ?? "")),
  );
}

/** The first `most` rows, in linear time for any text. Of a longer row, one cell more is read than is shown. */
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
    if (row.length <= MAX_COLUMNS)
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
