import type { Database } from "../providers/database.server";

/** A table whose rows are of no use after a while. All names are ours, none is anybody's input. */
export interface ExpiringTable {
  table: string;
  /** timestamp without time zone, in UTC; has to have an index */
  column: string;
  keepDays: number;
}

/** Rows of one statement: a few milliseconds of work, so that no lock is held for longer. */
const BATCH_ROWS = 1_000;

/** The condition and the order of its index: what is looked at is what is deleted. `$1` is the number of days. */
const expired = ({ column }: ExpiringTable) =>
  `${column} < (now() AT TIME ZONE 'utc') - make_interval(days => $1::int)`;

/** The statement that deletes one batch; for the test that looks at its plan as well. */
export function deleteBatchStatement(expiring: ExpiringTable, rows = BATCH_ROWS): string {
  const { table, column } = expiring;
  // A row that somebody else is deleting, or is just claiming anew, is left to them: nobody waits for anybody. By `ctid`, the
  // row's place: a join by primary key may read the whole table for each batch.
  return `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${table} WHERE ${expired(expiring)} ORDER BY ${column} LIMIT ${rows} FOR UPDATE SKIP LOCKED
  ))`;
}

/** Counting further would take longer than a statement may. */
export const MAX_COUNTED = 1_000_000;

/** How many rows are past their keep; MAX_COUNTED stands for that many or more. */
export async function countExpired(database: Database, expiring: ExpiringTable): Promise<number> {
  const some = `SELECT 1 FROM ${expiring.table} WHERE ${expired(expiring)} LIMIT ${MAX_COUNTED}`;
  const statement = `SELECT count(*)::int AS count FROM (${some}) AS found`;
  const [row] = await database.$driverQuery<{ count: number }>(statement, [expiring.keepDays]);
  return row?.count ?? 0;
}

/**
 * Deletes the rows that are older than their keep, a batch at a time, each committed by itself: it can be stopped anywhere,
 * and several can run at once.
 * @param onBatch gets the number deleted so far
 * @returns the number deleted
 */
export async function deleteExpired(
  database: Database,
  expiring: ExpiringTable,
  { stop, onBatch }: { stop: AbortSignal; onBatch: (deleted: number) => void },
): Promise<number> {
  const statement = `WITH deleted AS (${deleteBatchStatement(expiring)} RETURNING 1)
    SELECT count(*)::int AS count FROM deleted`;
  let total = 0;
  while (!stop.aborted) {
    const [row] = await database.$driverQuery<{ count: number }>(statement, [expiring.keepDays]);
    const deleted = row?.count ?? 0;
    if (deleted === 0) break;
    total += deleted;
    onBatch(total);
  }
  return total;
}
