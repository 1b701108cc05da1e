import { z } from "zod";
import type { Database } from "../providers/database.server";
import { NOW, rawSql, type Sql, sql } from "../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

/** A table whose rows expire by age. */
export interface ExpiringTable {
  name: string;
  /** the column that holds a row's age, which has an index */
  since: string;
}

/** One statement deletes so few rows that it holds its locks for a few milliseconds only. */
const BATCH_ROWS = 1_000;
/** Counting more rows would exceed the time limit of a statement. */
export const MAX_COUNTED_ROWS = 1_000_000;

const countSchema = z.object({ count: z.int() });

/** The condition and the order of the table's index. */
const isExpired = ({ since }: ExpiringTable, keepHours: number) =>
  sql`${rawSql(since)} < ${NOW} - make_interval(hours => ${keepHours})`;

/** SQL, because it goes by the database's clock, as the deletion does. @returns at most MAX_COUNTED_ROWS */
export async function countExpired(database: Run, table: ExpiringTable, keepHours: number): Promise<number> {
  const [row] = await database.$driverQuery(
    sql`
      SELECT count(*)::int AS count FROM (
        SELECT 1 FROM ${rawSql(table.name)} WHERE ${isExpired(table, keepHours)} LIMIT ${MAX_COUNTED_ROWS}
      ) AS expired`,
    countSchema,
  );
  return row?.count ?? 0;
}

/**
 * The statement that deletes one batch. It skips rows that another transaction has locked, because it deletes or claims them at this
 * moment. It finds rows by `ctid`, their place in the table: with a join by primary key, the planner may read the whole table each time.
 * Exported for tests of the plan.
 */
export const deleteBatch = (table: ExpiringTable, keepHours: number): Sql => {
  const name = rawSql(table.name);
  return sql`DELETE FROM ${name} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${name} WHERE ${isExpired(table, keepHours)} ORDER BY ${rawSql(table.since)} LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED
  ))`;
};

/** SQL, because of SKIP LOCKED. @returns the number of deleted rows; 0 if none is left */
export async function deleteExpiredBatch(
  database: Run,
  table: ExpiringTable,
  keepHours: number,
): Promise<number> {
  const [row] = await database.$driverQuery(
    sql`WITH deleted AS (${deleteBatch(table, keepHours)} RETURNING 1) SELECT count(*)::int AS count FROM deleted`,
    countSchema,
  );
  return row?.count ?? 0;
}

/**
 * Deletes one batch of deliveries of a webhook that was removed. SQL, because the rows of each webhook are found by one look into the primary
 * key, however many there are.
 * @returns the number of deleted rows; 0 if none is left
 */
export async function deleteDeliveriesOfRemoved(database: Run): Promise<number> {
  const [row] = await database.$driverQuery(
    sql`
      WITH RECURSIVE named AS (
        SELECT min(endpoint_id) AS id FROM webhook_deliveries
        UNION ALL
        SELECT (SELECT min(endpoint_id) FROM webhook_deliveries WHERE endpoint_id > named.id) FROM named WHERE named.id IS NOT NULL
      ), removed AS (
        SELECT id FROM named WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM webhook_endpoints AS endpoint WHERE endpoint.id = named.id) LIMIT 1
      ), deleted AS (
        DELETE FROM webhook_deliveries WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM webhook_deliveries WHERE endpoint_id = (SELECT id FROM removed) LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED
        )) RETURNING 1
      )
      SELECT count(*)::int AS count FROM deleted`,
    countSchema,
  );
  return row?.count ?? 0;
}
