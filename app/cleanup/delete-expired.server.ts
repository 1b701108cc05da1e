import type { Database } from "../providers/database.server";

/** Rows of one statement: a few milliseconds of work, so that no lock is held for longer. */
const BATCH_ROWS = 1_000;

/** A table whose rows are deleted by their age: `since` is a column with an index. */
export interface Expiring {
  table: string;
  since: string;
}

/** A claim that was never sent expires as well: nobody will take it over any more. */
export const deliveries: Expiring = { table: "email_deliveries", since: "claimed_at" };
export const idempotencyKeys: Expiring = { table: "idempotency_keys", since: "created_at" };
/** hours. A key is promised for 24: what is deleted has ended, and its claim with it. */
export const IDEMPOTENCY_KEEP_HOURS = 25;

/** The condition and the order of its index: what is looked at is what is deleted. `$1` is the number of hours. */
const isExpired = ({ since }: Expiring) =>
  `${since} < (now() AT TIME ZONE 'utc') - make_interval(hours => $1::int)`;

/**
 * Deletes one batch; for the test that looks at its plan as well. A row that somebody else is deleting, or is just claiming anew, is
 * left to them: nobody waits for anybody. By `ctid`, the row's place: a join by primary key may read the whole table for each batch.
 */
export const deleteBatch = (rows: Expiring) => `DELETE FROM ${rows.table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${rows.table} WHERE ${isExpired(rows)} ORDER BY ${rows.since} LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED
  ))`;

/** Counting further would take longer than a statement may. */
export const MAX_COUNTED = 1_000_000;

/** How many rows are past their keep; MAX_COUNTED stands for that many or more. */
export async function countExpired(database: Database, rows: Expiring, keepHours: number): Promise<number> {
  const some = `SELECT 1 FROM ${rows.table} WHERE ${isExpired(rows)} LIMIT ${MAX_COUNTED}`;
  const statement = `SELECT count(*)::int AS count FROM (${some}) AS found`;
  const [row] = await database.$driverQuery<{ count: number }>(statement, [keepHours]);
  return row?.count ?? 0;
}

/**
 * Deletes the rows that are older than their keep, a batch at a time, each committed by itself: it can be stopped anywhere,
 * and several can run at once.
 * @param onBatch gets the number deleted so far
 */
export async function deleteExpired(
  database: Database,
  rows: Expiring,
  keepHours: number,
  { stop, onBatch }: { stop: AbortSignal; onBatch: (deleted: number) => void },
): Promise<void> {
  const statement = `WITH deleted AS (${deleteBatch(rows)} RETURNING 1) SELECT count(*)::int AS count FROM deleted`;
  let total = 0;
  while (!stop.aborted) {
    const [row] = await database.$driverQuery<{ count: number }>(statement, [keepHours]);
    if (!row?.count) break;
    total += row.count;
    onBatch(total);
  }
}
