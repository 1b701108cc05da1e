/** More than this is not shown: a table of a million cells helps nobody on a screen. */
export const MOST_ROWS = 20_000;
export const MOST_COLUMNS = 200;

export interface Table {
  /** the first is the head; each has at most `columns` cells, some fewer */
  rows: string[][];
  columns: number;
  /** there are more rows or columns than these */
  cut: boolean;
}

const delimiters = [",", ";", "\t", "|"];
/** So many rows tell by what a file's cells are divided. */
const ROWS_TO_JUDGE = 20;

/** The cells of a CSV or TSV file, as RFC 4180 and spreadsheets write them. The delimiter is the one that divides its rows most evenly. */
export function parseTable(text: string): Table {
  // What Excel writes to say what divides the cells.
  const told = /^sep=(.)\r?\n/.exec(text);
  const body = told ? text.slice(told[0].length) : text;
  const delimiter = told?.[1] ?? findDelimiter(body);
  const all = readRows(body, delimiter, MOST_ROWS + 1);
  const widest = all.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Math.min(widest, MOST_COLUMNS);
  const rows = all.slice(0, MOST_ROWS).map((row) => (row.length > columns ? row.slice(0, columns) : row));
  return { rows, columns, cut: all.length > MOST_ROWS || widest > columns };
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

/** The first `most` rows. One pass: a text costs what it is long, whatever is in it. */
function readRows(text: string, delimiter: string, most: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  // A quote that never ends is a quote like any other letter: it would hide the rest of the file in one cell.
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

/** The cell whose opening quote is at `from`, and where what follows it begins: -1 when nothing closes it. */
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
