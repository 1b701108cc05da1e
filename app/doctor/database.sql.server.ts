/* What the doctor asks PostgreSQL about itself. SQL, because it is about no table of Prisma's schema. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { rawSql, sql } from "../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

/** `now`: milliseconds since 1970; `version`: such as 180001 */
export async function askTimeAndVersion(
  database: Run,
): Promise<{ now: number; version: string } | undefined> {
  const [row] = await database.$driverQuery(
    sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now, current_setting('server_version_num') AS version`,
    z.object({ now: z.number(), version: z.string() }),
  );
  return row;
}

/** Whether every login may connect to the database and create functions in it. */
export async function askWhetherOpen(database: Run): Promise<{ isOpen: boolean; name: string } | undefined> {
  const [row] = await database.$driverQuery(
    sql`
      SELECT pg_catalog.current_database() AS name,
        pg_catalog.has_database_privilege('public'::pg_catalog.name, d.oid, 'CONNECT'::pg_catalog.text)
        AND pg_catalog.has_schema_privilege('public'::pg_catalog.name, n.oid, 'CREATE'::pg_catalog.text) AS "isOpen"
      FROM pg_catalog.pg_database AS d, pg_catalog.pg_namespace AS n
      WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
        AND n.nspname OPERATOR(pg_catalog.=) pg_catalog.current_schema()`,
    z.object({ isOpen: z.boolean(), name: z.string() }),
  );
  return row;
}

/** Runs a statement of `compareWithDatabase`, which also runs before there are our tables. */
export const runMigrationQuery =
  (database: Run) =>
  async <Row extends object>(text: string): Promise<Row[]> =>
    (await database.$driverQuery(rawSql(text))) as Row[];
