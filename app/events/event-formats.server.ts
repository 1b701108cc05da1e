import type { StoredEvent } from "./stored-event.server";

interface EventFormat {
  mediaType: string;
  header: string;
  line(event: StoredEvent): string;
}

/** After each of these, and at the beginning of a value, programs may begin a cell that separate by one of them and take our quotation marks for text. */
const separators = [";", "|", "\t", "\r", "\n"];
const blankSeparators = /[\t\r\n]/g;

/**
 * What stands before a formula: spaces, quotation marks and apostrophes, or nothing. East Asian spreadsheets also run the full-width signs.
 * Found only from its beginning on, so that its time grows with the length of a text and not with the square.
 */
const beforeFormula = /(?<![\s"'])[\s"']*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

const csvColumns: Record<string, (event: StoredEvent) => string | null | undefined> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  occurredAt: ({ occurredAt }) => occurredAt,
  companyId: ({ companyId }) => companyId,
  clientId: ({ clientId }) => clientId,
  visitorId: ({ visitor }) => visitor?.id,
  visitorName: ({ visitor }) => visitor?.name,
  bucket: ({ subject }) => ("bucket" in subject ? subject.bucket : null),
  key: ({ subject }) => ("key" in subject ? subject.key : null),
  databaseId: ({ subject }) => ("databaseId" in subject ? subject.databaseId : null),
  campaignId: ({ subject }) => ("recipient" in subject ? subject.campaignId : null),
  recipient: ({ subject }) => ("recipient" in subject ? subject.recipient : null),
  source: ({ source }) => source,
  data: ({ data }) => JSON.stringify(data),
};

/** Visitors do not need the integrator's own ids. */
const { companyId: _, clientId: __, ...visitorColumns } = csvColumns;

/** Without it, Excel reads the file in the encoding of its Windows, and not as UTF-8. */
const BYTE_ORDER_MARK = "\ufeff";

const csvOf = (columns: typeof csvColumns): EventFormat => ({
  mediaType: "text/csv",
  header: BYTE_ORDER_MARK + csvLine(Object.keys(columns)),
  line: (event) => csvLine(Object.values(columns).map((read) => read(event) ?? "")),
});

/** The formats in which all events can be read. */
export const eventFormats = {
  ndjson: {
    mediaType: "application/x-ndjson",
    header: "",
    line: (event) => `${JSON.stringify(event)}\n`,
  },
  csv: csvOf(csvColumns),
} satisfies Record<string, EventFormat>;

export const visitorCsv = csvOf(visitorColumns);

export type EventFormatName = keyof typeof eventFormats;

/** RFC 4180. */
function csvLine(values: readonly string[]): string {
  return `${values.map(csvValue).join(",")}\r\n`;
}

/**
 * An apostrophe makes a formula text. One is added wherever a cell may begin with a formula, also where the value itself has one there: so it is
 * known which to take away.
 */
function csvValue(text: string): string {
  const inert = text.replace(beforeFormula, (blank, at: number) => {
    const isCell = at === 0 || separators.includes(text[at - 1] ?? "");
    return (isCell ? "'" : "") + blank.replace(blankSeparators, "$&'");
  });
  return /[",;|\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** The text of a whole export, one piece for each page. */
export async function* formatEvents(
  pages: AsyncIterable<StoredEvent[]>,
  { header, line }: EventFormat,
): AsyncGenerator<string, void> {
  // With the first page, so that an error there comes before any text.
  let text = header;
  for await (const events of pages) {
    yield text + events.map(line).join("");
    text = "";
  }
  if (text !== "") yield text;
}
