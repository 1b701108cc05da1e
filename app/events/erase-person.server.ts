import type { Database } from "../providers/database.server";

/** Whose traces are erased: a visitor's by their id, or a recipient's by their address in lower case. */
export interface ErasedPerson {
  person: "visitor" | "recipient";
  value: string;
  /** only in the events of this company */
  companyId?: string | undefined;
}

const BATCH_ROWS = 1_000;
const places = {
  visitor: {
    // A change that is under way becomes an event, so it must be erased first.
    tables: ["pending_events", "events"],
    column: "visitor_id",
    erasing: "visitor_id = NULL, visitor_name = NULL",
  },
  recipient: { tables: ["events"], column: "recipient", erasing: "recipient = NULL" },
} as const;

const isOf = (column: string) => `${column} = $1 AND ($2::text IS NULL OR "companyId" = $2)`;

/** Counts the events that have the person, and the changes under way. */
export async function countEventsOf(
  database: Pick<Database, "$driverQuery">,
  { person, value, companyId }: ErasedPerson,
): Promise<number> {
  const { tables, column } = places[person];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE ${isOf(column)})`);
  const statement = `SELECT (${counts.join(" + ")})::int AS count`;
  const [row] = await database.$driverQuery<{ count: number }>(statement, [value, companyId ?? null]);
  return row?.count ?? 0;
}

/**
 * Removes a visitor's id and name, or a recipient's address, from all events, batch by batch, each in a transaction of its own. The
 * events stay.
 * @returns how many had them
 */
export async function erasePerson(
  database: Pick<Database, "$driverQuery">,
  { person, value, companyId }: ErasedPerson,
  onProgress: (erased: number) => void = () => {},
): Promise<number> {
  const { tables, column, erasing } = places[person];
  let erased = 0;
  for (const table of tables) {
    for (;;) {
      const [row] = await database.$driverQuery<{ count: number }>(
        `WITH erased AS (
          UPDATE ${table} SET ${erasing} WHERE id = ANY(ARRAY(
            SELECT id FROM ${table} WHERE ${isOf(column)} LIMIT ${BATCH_ROWS} FOR UPDATE
          )) RETURNING 1
        ) SELECT count(*)::int AS count FROM erased`,
        [value, companyId ?? null],
      );
      if (!row?.count) break;
      erased += row.count;
      onProgress(erased);
    }
  }
  return erased;
}
