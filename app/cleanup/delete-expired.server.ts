import type { Database } from "../providers/database.server";

/** Rows of one statement: a few milliseconds of work, so that no lock is held for longer. */
const BATCH_ROWS = 1_000;

/**
 * The condition and the order of its index: what is looked at is what is deleted. `$1` is the number of days. A claim that was never
 * sent expires as well: nobody will take it over any more.
 */
const EXPIRED = "claimed_at < (now() AT TIME ZONE 'utc') - make_interval(days => $1::int)";

/**
 * Deletes one batch; for the test that looks at its plan as well. A row that somebody else is deleting, or is just claiming anew, is
 * left to them: nobody waits for anybody. By `ctid`, the row's place: a join by primary key may read the whole table for each batch.
 */
export const DELETE_BATCH = `DELETE FROM email_deliveries WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM email_deliveries WHERE ${EXPIRED} ORDER BY claimed_at LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED
  ))`;

/** Counting further would take longer than a statement may. */
export const MAX_COUNTED = 1_000_000;

/** How many records of campaign e-mails are past their keep; MAX_COUNTED stands for that many or more. */
export async function countExpired(database: Database, keepDays: number): Promise<number> {
  const some = `SELECT 1 FROM email_deliveries WHERE ${EXPIRED} LIMIT ${MAX_COUNTED}`;
  const statement = `SELECT count(*)::int AS count FROM (${some}) AS found`;
  const [row] = await database.$driverQuery<{ count: number }>(statement, [keepDays]);
  return row?.count ?? 0;
}

/**
 * Deletes the records that are older than their keep, a batch at a time, each committed by itself: it can be stopped anywhere,
 * and several can run at once.
 * @param onBatch gets the number deleted so far
 */
export async function deleteExpired(
  database: Database,
  keepDays: number,
  { stop, onBatch }: { stop: AbortSignal; onBatch: (deleted: number) => void },
): Promise<void> {
  const statement = `WITH deleted AS (${DELETE_BATCH} RETURNING 1) SELECT count(*)::int AS count FROM deleted`;
  let total = 0;
  while (!stop.aborted) {
    const [row] = await database.$driverQuery<{ count: number }>(statement, [keepDays]);
    if (!row?.count) break;
    total += row.count;
    onBatch(total);
  }
}
