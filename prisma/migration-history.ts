/** The migrations in the folder, compared with Prisma's record of those that were applied. */
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ownFolder = join(dirname(fileURLToPath(import.meta.url)), "migrations");
/** Beside this file; when it is bundled into a command, `prisma/migrations` in the working directory. */
export const migrationsFolder = existsSync(ownFolder) ? ownFolder : resolve("prisma/migrations");

export interface Migration {
  name: string;
  sql: string;
  /** of its file; Prisma's table has the same */
  checksum: string;
}

export interface MigrationStatus {
  /** in the folder, not yet in the database; oldest first */
  pending: string[];
  /** started and did not finish */
  failed: string[];
  /** changed in the folder after they were applied */
  edited: string[];
  /** in the database, not in the folder: the database is newer than this checkout */
  unknown: string[];
}

/** Sends a statement to the database, and returns its rows. */
type Query = <Row extends object>(sql: string) => Promise<Row[]>;

/** The migrations in a folder, oldest first. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: hash("sha256", sql) };
    }),
  );
}

/** Compares migrations with the database without changing anything. */
export async function compareWithDatabase(
  migrations: readonly Migration[],
  query: Query,
): Promise<MigrationStatus> {
  const [table] = await query<{ exists: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists",
  );
  const rows = table?.exists
    ? await query<{ name: string; checksum: string; isDone: boolean }>(
        `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS "isDone"
           FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
      )
    : [];
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const recorded = new Set(rows.map(({ name }) => name));
  const namesOf = (some: typeof rows) => some.map(({ name }) => name);
  return {
    pending: migrations.filter(({ name }) => !recorded.has(name)).map(({ name }) => name),
    failed: namesOf(rows.filter(({ isDone }) => !isDone)),
    edited: namesOf(
      rows.filter((row) => row.isDone && known.has(row.name) && known.get(row.name) !== row.checksum),
    ),
    unknown: namesOf(rows.filter(({ name }) => !known.has(name))),
  };
}
