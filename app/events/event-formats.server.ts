import type { StoredEvent } from "./stored-event.server";

interface EventFormat {
  mediaType: string;
  header: string;
  line(event: StoredEvent): string;
}

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

const csvOf = (columns: typeof csvColumns): EventFormat => ({
  mediaType: "text/csv",
  header: csvLine(Object.keys(columns)),
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

/** Spreadsheets run what begins like a formula. The apostrophe makes it text, and many of them do not show it. */
function csvValue(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
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
