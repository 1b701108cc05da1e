/**
 * `npm run migrate`: brings the database named by POSTGRES_URL up to the migrations in `prisma/migrations`.
 * It keeps Prisma's own record of them, so that `prisma migrate deploy` can take over at any time.
 */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { Client } from "pg";
import { messageOf } from "../app/error-text";
import { migrationsFolder, noFilter, readMigrations, withSchemaEngine } from "./schema-engine";

/** Any number will do, as long as every replica takes the same one. It is not the one `prisma migrate` takes. */
const MIGRATION_LOCK = 7_265_100_411;
/** milliseconds between two tries at the lock */
const LOCK_RETRY_MS = 200;

/**
 * Prisma's table, made before the engine looks for it: where it is missing and other tables are there, such as the
 * `companies` of another product, the engine refuses to begin. Our migrations are written to live beside those.
 */
const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

export interface MigrationStatus {
  /** in the folder, not yet in the database; oldest first */
  pending: string[];
  /** began and did not end: somebody has to look */
  failed: string[];
  /** changed in the folder after they were applied */
  edited: string[];
  /** in the database, not in the folder: the database is newer than this checkout */
  unknown: string[];
}

/** What went wrong, in words for whoever runs the command. */
export class MigrationError extends Error {}

/**
 * Applies every pending migration, and answers with their names; an empty list means there was nothing to do.
 * When several processes start at once, one applies them and the others wait for it.
 * @throws MigrationError with the name of the migration and what PostgreSQL said
 */
export async function migrate(postgresUrl: string, folder = migrationsFolder): Promise<string[]> {
  return withMigrationLock(postgresUrl, async () => {
    const migrationsList = await readMigrations(folder);
    return withSchemaEngine(postgresUrl, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: noFilter });
      return appliedMigrationNames;
    }).catch((error: unknown) => {
      throw explainFailure(error);
    });
  });
}

/** Says that a failed migration left nothing behind, so that the next `migrate` tries it again. */
export async function retryFailedMigration(postgresUrl: string, migrationName: string): Promise<void> {
  await withSchemaEngine(postgresUrl, (engine) => engine.markMigrationRolledBack({ migrationName })).catch(
    (error: unknown) => {
      throw explainFailure(error);
    },
  );
}

/** The engine's text is what PostgreSQL said, then a trace of its own in which the migration is named. */
function explainFailure(error: unknown): MigrationError {
  const text = messageOf(error);
  const [said = text] = text.split(/\n\s+0: /);
  const name = /migration_name="([^"]+)"/.exec(text)?.[1];
  const message = name
    ? `The migration ${name} failed, and none after it was tried.\n${said}\nWhen the cause is mended: npm run migrate -- --retry ${name}`
    : `The database could not be migrated. ${said}`;
  return new MigrationError(message, { cause: error });
}

/** Compares the folder with the database, and changes nothing. */
export async function migrationStatus(
  postgresUrl: string,
  folder = migrationsFolder,
): Promise<MigrationStatus> {
  const migrationsList = await readMigrations(folder);
  const found = await withSchemaEngine(postgresUrl, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: noFilter }),
  );
  const history = found.history;
  return {
    pending: history && "unappliedMigrationNames" in history ? history.unappliedMigrationNames : [],
    failed: found.failedMigrationNames,
    edited: found.editedMigrationNames,
    unknown: history && "unpersistedMigrationNames" in history ? history.unpersistedMigrationNames : [],
  };
}

/** The lock lives as long as its connection: a process that dies while migrating blocks nobody. */
async function withMigrationLock<T>(postgresUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: postgresUrl, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new MigrationError(`The database cannot be reached. ${messageOf(error)}`, { cause: error });
  }
  try {
    await takeLock(client);
    await client.query(MIGRATIONS_TABLE);
    return await work();
  } finally {
    await client.end();
  }
}

/**
 * Asks again and again instead of waiting inside a statement: CREATE INDEX CONCURRENTLY waits for every statement that began
 * before it, and so would wait for ever for one that waits for its own migration to end.
 */
async function takeLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken) return;
    await sleep(LOCK_RETRY_MS);
  }
}

function formatStatus(status: MigrationStatus): string {
  const lines = Object.entries(status).flatMap(([state, names]: [string, string[]]) =>
    names.map((name) => `${state.padEnd(8)} ${name}`),
  );
  return lines.length === 0 ? "The database is up to date." : lines.join("\n");
}

async function main(): Promise<void> {
  const { status, retry } = new Command("npm run migrate --")
    .description("Brings the database in POSTGRES_URL up to the migrations in prisma/migrations.")
    .option("--status", "only say what is pending, failed, edited or unknown; exit code 1 if anything is")
    .option("--retry <migration>", "try a migration again that failed earlier, and then go on")
    .addHelpText("after", "\nPOSTGRES_URL is taken from the environment, or from a .env file.")
    .parse()
    .opts<{ status?: boolean; retry?: string }>();

  if (existsSync(".env")) process.loadEnvFile();
  const postgresUrl = process.env.POSTGRES_URL?.trim();
  if (!postgresUrl) throw new MigrationError("POSTGRES_URL is not set. It names the database to migrate.");

  if (status) {
    const found = await migrationStatus(postgresUrl);
    console.log(formatStatus(found));
    process.exitCode = Object.values(found).some((names) => names.length > 0) ? 1 : 0;
    return;
  }
  if (retry) await retryFailedMigration(postgresUrl, retry);
  const applied = await migrate(postgresUrl);
  console.log(
    applied.length === 0
      ? "The database is up to date."
      : applied.map((name) => `applied  ${name}`).join("\n"),
  );
}

// By name as well: built into another command, this file is that command's.
if (process.argv[1] === fileURLToPath(import.meta.url) && /\bmigrate\.[jt]s$/.test(process.argv[1])) {
  main()
    .catch((error: unknown) => {
      console.error(messageOf(error));
      process.exitCode = 1;
    })
    // The engine leaves a timer of ten seconds behind, which nobody has to wait for.
    .finally(() => process.exit());
}
