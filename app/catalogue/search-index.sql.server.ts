/* The indexes for searches in names. SQL, because PostgreSQL itself is asked, and Prisma's migrations must not need the extension. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { rawSql, sql } from "../providers/sql.server";
import { messageOf } from "../shared/error-text";

type Run = Pick<Database, "$driverQuery">;

/** Of the names of files, by their trigrams. One for all catalogues: README.md says why. */
const NAMES = "catalogue_objects_folded_name_idx";
/** Of the folders in which files are: no row has a folder's name. */
const FOLDERS = "catalogue_objects_folder_idx";
const INDEXES = [NAMES, FOLDERS];

/** The folder of a row's object, with the slash at its end; empty for the bucket itself. Statements that use the index write it as it is here. */
export const FOLDER_OF_KEY = rawSql("regexp_replace(key, '[^/]*$', '')");

/** The indexes that are there and complete. One whose building was cut off is not. */
async function findIndexes(database: Run): Promise<string[]> {
  const found = await database.$driverQuery(
    sql`
      SELECT name FROM unnest(${INDEXES}::text[]) AS name JOIN pg_index ON indexrelid = to_regclass(quote_ident(name)) AND indisvalid`,
    z.object({ name: z.string() }),
  );
  return found.map(({ name }) => name);
}

/** Whether names can be searched. */
export const hasSearchIndex = async (database: Run): Promise<boolean> =>
  (await findIndexes(database)).length === INDEXES.length;

/** The schema of the extension, which need not be on the search path; undefined if it is not installed. */
async function findExtension(database: Run): Promise<string | undefined> {
  const [extension] = await database.$driverQuery(
    sql`SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace AS namespace ON namespace.oid = extnamespace WHERE extname = 'pg_trgm'`,
    z.object({ schema: z.string() }),
  );
  return extension?.schema;
}

/**
 * Creates the indexes for searches in names, if PostgreSQL can have the extension `pg_trgm`. Writers go on meanwhile. Safe to repeat: an index
 * whose building was cut off is built again.
 * @param runLong runs a statement that may take minutes
 * @returns why there is no index; undefined if there is one
 * @throws AppError `unavailable`; an error of PostgreSQL while the index is built
 */
export async function createSearchIndex(
  database: Run,
  runLong: (statement: string) => Promise<void>,
): Promise<string | undefined> {
  const found = await findIndexes(database);
  if (found.length === INDEXES.length) return undefined;
  try {
    await database.$driverQuery(sql`CREATE EXTENSION IF NOT EXISTS pg_trgm`);
  } catch (error) {
    return messageOf(error);
  }
  const schema = await findExtension(database);
  const columns = {
    [NAMES]: `gin (folded_name ${schema}.gin_trgm_ops)`,
    [FOLDERS]: `btree (catalogue_id, (${FOLDER_OF_KEY.sql})) WHERE NOT is_deleted`,
  };
  for (const [name, of] of Object.entries(columns)) {
    if (found.includes(name)) continue;
    await database.$driverQuery(sql`DROP INDEX IF EXISTS ${rawSql(name)}`);
    await runLong(`CREATE INDEX CONCURRENTLY ${name} ON catalogue_objects USING ${of}`);
  }
  return undefined;
}
