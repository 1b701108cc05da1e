import { isUtf8 } from "node:buffer";
import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { normalizeEmailAddress, onOneLine } from "../email/email-address.server";
import { isVariableName, NAME_RULE } from "../email/variables.server";

/** Members of a job that a column with one of these names is for. Every other column is a variable. */
const memberNames = {
  email: ["email", "e_mail", "mail", "email_address", "e_mail_address", "emailaddress"],
  name: ["name", "full_name", "fullname"],
  unsubscribeToken: ["unsubscribe_token", "unsubscribetoken"],
  locale: ["locale", "language"],
} as const;
type Member = keyof typeof memberNames;

/** What a column is for. */
export interface CsvColumn {
  header: string;
  /** null for a column without a name, which spreadsheets write behind the others */
  use: { member: Member } | { variable: string } | null;
}

/** A row of the list: the job that it becomes, as members of JSON, or what is wrong with it. */
type CsvRow = {
  /** as spreadsheets count them: the names of the columns are row 1, and a row with a line break in it is one row */
  row: number;
} & ({ job: Record<string, unknown> } | { issue: string });

const DELIMITERS = [",", ";", "\t"];
/** bytes of a line of the file */
const MAX_LINE_BYTES = 256 * 1024;

/**
 * Makes a campaign job of each row of a customer list. A blank cell counts as missing. A row with more or fewer cells than there are columns
 * is none: a delimiter or a quote is probably missing, and its cells would be taken for others.
 * @param template the members that all jobs have in common: everything but `recipient`
 * @param options.onColumns is called once, with what each column is for
 * @throws Error if the list is not CSV in UTF-8, or has no column for the address
 */
export async function* readCsvJobs(
  chunks: AsyncIterable<Uint8Array>,
  template: Record<string, unknown>,
  { onColumns = () => {} }: { onColumns?: (columns: CsvColumn[]) => void } = {},
): AsyncGenerator<CsvRow> {
  const { delimiter, all } = await peek(chunks);
  const records = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: MAX_LINE_BYTES,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  });
  // Unlike `pipe`, this hands on errors. They are thrown below.
  pipeline(Readable.from(all), records, () => {});
  let columns: CsvColumn[] | undefined;
  try {
    for await (const { record, info } of records as AsyncIterable<{
      record: string[];
      info: { records: number; empty_lines: number };
    }>) {
      if (record.every((cell) => cell === "")) continue;
      const row = info.records + info.empty_lines;
      if (columns === undefined) {
        columns = readHeading(record);
        onColumns(columns);
      } else if (record.length !== columns.length) {
        const cells = record.length === 1 ? "1 cell" : `${record.length} cells`;
        yield { row, issue: `has ${cells}, and the list has ${columns.length} columns` };
      } else yield { row, job: jobOf(record, columns, template) };
    }
  } catch (error) {
    throw error instanceof CsvError
      ? new Error(`The list is not valid CSV: ${onOneLine(error.message)}.`)
      : error;
  }
  if (columns === undefined) throw new Error("The list is empty. Its first line must name the columns.");
}

/** Excel takes the delimiter from such a line, and shows it to nobody. */
const SEPARATOR_LINE = /^(\uFEFF?)sep=(.)\r?\n/i;

/** The delimiter of a text, and the whole text. @throws Error if it is not UTF-8, or begins with far too many blank lines */
async function peek(chunks: AsyncIterable<Uint8Array>) {
  const lines = completeLines(chunks);
  let first = "";
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    first += next.value;
    if (first.replace(SEPARATOR_LINE, "").trim() !== "") break;
    if (first.length > MAX_LINE_BYTES) throw new Error("The list begins with too many blank lines.");
  }
  async function* all() {
    yield first.replace(SEPARATOR_LINE, "$1");
    yield* lines;
  }
  return { delimiter: SEPARATOR_LINE.exec(first)?.[2] ?? delimiterOf(first), all: all() };
}

async function* completeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest: Uint8Array = new Uint8Array();
  const textOf = (bytes: Uint8Array) => {
    if (isUtf8(bytes)) return Buffer.from(bytes).toString();
    throw new Error("The list is not in UTF-8. In Excel, save it as “CSV UTF-8”.");
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end > 0) yield textOf(bytes.subarray(0, end));
    rest = bytes.subarray(end);
    if (rest.length > MAX_LINE_BYTES)
      throw new Error(`A line of the list is over ${MAX_LINE_BYTES / 1024} kB long.`);
  }
  if (rest.length > 0) yield textOf(rest);
}

/** The delimiter that the first line has most of, outside of quotes. Excel writes semicolons where the comma is the decimal sign. */
function delimiterOf(text: string): string {
  const [line = ""] = text
    .trimStart()
    .replace(/"[^"]*"/g, "")
    .split("\n", 1);
  const countOf = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, next) => (countOf(next) > countOf(best) ? next : best));
}

/** @throws Error if the names cannot be those of columns, or no column is for the address */
function readHeading(record: readonly string[]): CsvColumn[] {
  if (record.some((cell) => normalizeEmailAddress(cell) !== null))
    throw new Error("The first line of the list has an address. It must name the columns, like: email,name");
  const columns = record.map(columnOf);
  checkColumns(columns);
  return columns;
}

function columnOf(cell: string): CsvColumn {
  const header = onOneLine(cell);
  const name = header
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
  for (const [member, names] of Object.entries(memberNames) as [Member, readonly string[]][])
    if (names.includes(name)) return { header, use: { member } };
  if (header === "") return { header, use: null };
  if (!isVariableName(name))
    throw new Error(`The column “${header}” cannot be a variable: ${NAME_RULE}. Rename or remove it.`);
  return { header, use: { variable: name } };
}

/** The member of a job, or the variable, that a column is for. */
export function purposeOf(use: NonNullable<CsvColumn["use"]>): string {
  if ("variable" in use) return `{{${use.variable}}}`;
  return use.member === "locale" ? use.member : `recipient.${use.member}`;
}

function checkColumns(columns: readonly CsvColumn[]): void {
  const byPurpose = new Map<string, string>();
  for (const { header, use } of columns) {
    if (use === null) continue;
    const earlier = byPurpose.get(purposeOf(use));
    if (earlier !== undefined)
      throw new Error(`The columns “${earlier}” and “${header}” are both for ${purposeOf(use)}. Rename one.`);
    byPurpose.set(purposeOf(use), header);
  }
  if (!byPurpose.has("recipient.email"))
    throw new Error(
      `No column is for the address: name one “email”. The columns are ${columns.map(({ header }) => `“${header}”`).join(", ")}.`,
    );
}

function jobOf(
  cells: readonly string[],
  columns: readonly CsvColumn[],
  template: Record<string, unknown>,
): Record<string, unknown> {
  const recipient: Record<string, string> = { email: "" };
  const variables: Record<string, unknown> = { ...(template.variables as object | undefined) };
  let locale = template.locale;
  for (const [index, { use }] of columns.entries()) {
    const cell = cells[index] ?? "";
    if (cell === "" || use === null) continue;
    if ("variable" in use) variables[use.variable] = cell;
    else if (use.member === "locale") locale = cell;
    else recipient[use.member] = cell;
  }
  return { ...template, recipient, ...(locale === undefined ? {} : { locale }), variables };
}
