/* The index for searches in names. SQL, because PostgreSQL itself is asked, and Prisma's migrations must not need the extension. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { rawSql, sql } from "../providers/sql.server";
import { messageOf } from "../shared/error-text";

type Run = Pick<Database, "$driverQuery">;

const INDEX = "catalogue_objects_folded_name_idx";

/** Whether the index is there and complete. One whose building was cut off is not. */
export async function hasSearchIndex(database: Run): Promise<boolean> {
  const found = await database.$driverQuery(
    sql`SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(${`"${INDEX}"`}) AND indisvalid`,
  );
  return found.length > 0;
}

/** The schema of the extension, which need not be on the search path; undefined if it is not installed. */
async function findExtension(database: Run): Promise<string | undefined> {
  const [extension] = await database.$driverQuery(
    sql`SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace AS namespace ON namespace.oid = extnamespace WHERE extname = 'pg_trgm'`,
    z.object({ schema: z.string() }),
  );
  return extension?.schema;
}

/**
 * Creates the index for searches in names, if PostgreSQL can have the extension `pg_trgm`. Writers go on meanwhile. Safe to repeat: an index
 * whose building was cut off is built again.
 * @param runLong runs a statement that may take minutes
 * @returns why there is no index; undefined if there is one
 * @throws AppError `unavailable`; an error of PostgreSQL while the index is built
 */
export async function createSearchIndex(
  database: Run,
  runLong: (statement: string) => Promise<void>,
): Promise<string | undefined> {
  if (await hasSearchIndex(database)) return undefined;
  try {
    await database.$driverQuery(sql`CREATE EXTENSION IF NOT EXISTS pg_trgm`);
  } catch (error) {
    return messageOf(error);
  }
  const schema = await findExtension(database);
  await database.$driverQuery(sql`DROP INDEX IF EXISTS ${rawSql(INDEX)}`);
  await runLong(
    `CREATE INDEX CONCURRENTLY ${INDEX} ON catalogue_objects USING gin (folded_name ${schema}.gin_trgm_ops)`,
  );
  return undefined;
}
