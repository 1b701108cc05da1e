import { Client } from "pg";

/** How long a statement may take, milliseconds. */
const TIMEOUT_MS = 5_000;
const MAX_ROWS = 50;

export interface QueryResult {
  columns: string[];
  /** at most 50, as text; null for NULL */
  rows: (string | null)[][];
  /** a sentence for a person */
  summary: string;
}

/**
 * Runs SQL with one of the database's own logins.
 * @param url of a credential, as the API returned it
 * @throws what PostgreSQL says
 */
export async function runQuery(url: string, sql: string): Promise<QueryResult> {
  const client = new Client({
    connectionString: url,
    statement_timeout: TIMEOUT_MS,
    query_timeout: 2 * TIMEOUT_MS,
    connectionTimeoutMillis: TIMEOUT_MS,
  });
  // A login that is removed ends its connection; the query then says so.
  client.on("error", () => {});
  await client.connect();
  try {
    const answer = await client.query({ text: sql, rowMode: "array" });
    // Several statements have several results.
    const { fields, rows, command, rowCount } = [answer].flat().at(-1) ?? answer;
    const shown = rows.slice(0, MAX_ROWS) as unknown[][];
    return {
      columns: fields.map(({ name }) => name),
      rows: shown.map((row) => row.map(asText)),
      summary:
        rows.length > MAX_ROWS
          ? `The first ${MAX_ROWS} of ${rows.length} rows.`
          : `${command ?? "Nothing"}: ${rowCount ?? 0} rows.`,
    };
  } finally {
    await client.end();
  }
}

function asText(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
