/**
 * `npm run migrate`: applies the migrations in `prisma/migrations` to the database in POSTGRES_URL. It records them in Prisma's own
 * table, so that `prisma migrate deploy` can be used instead at any time.
 */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { Client } from "pg";
import { messageOf } from "../app/shared/error-text";
import { migrationsFolder, noFilter, readMigrations, withSchemaEngine } from "./schema-engine";

/** An arbitrary number that is the same in every replica, and not the one that `prisma migrate` uses. */
const MIGRATION_LOCK = 7_265_100_411;
const LOCK_RETRY_MS = 200;
/** These statements are instant. We set a limit only because PgBouncer refuses connections that set one; that is how we detect it. */
const MAX_LOCK_STATEMENT_MS = 60_000;

/**
 * Prisma's table. It is created before the engine looks for it: the engine refuses a database that has other tables, such as
 * the `companies` of another product, but not this one. Our migrations work beside such tables.
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
  /** started and did not finish */
  failed: string[];
  /** changed in the folder after they were applied */
  edited: string[];
  /** in the database, not in the folder: the database is newer than this checkout */
  unknown: string[];
}

/** A problem that the message explains to the person who runs the command; no stack trace is needed. */
export class MigrationError extends Error {}

/**
 * Applies all pending migrations and returns their names. When several processes start at once, one applies them and the
 * others wait.
 * @throws MigrationError with the name of the migration and PostgreSQL's message
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

/** Records that a failed migration was rolled back, so that the next `migrate` applies it again. */
export async function retryFailedMigration(postgresUrl: string, migrationName: string): Promise<void> {
  await withSchemaEngine(postgresUrl, (engine) => engine.markMigrationRolledBack({ migrationName })).catch(
    (error: unknown) => {
      throw explainFailure(error);
    },
  );
}

/** The engine's message is PostgreSQL's message, followed by a trace that names the migration. */
function explainFailure(error: unknown): MigrationError {
  const text = messageOf(error);
  const [postgresMessage = text] = text.split(/\n\s+0: /);
  const name = /migration_name="([^"]+)"/.exec(text)?.[1];
  const message = name
    ? `The migration ${name} failed. Later migrations were not applied.\n${postgresMessage}\nWhen the cause is fixed, run: npm run migrate -- --retry ${name}`
    : `The database could not be migrated. ${postgresMessage}`;
  return new MigrationError(message, { cause: error });
}

/** Compares the folder with the database without changing anything. */
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

/** The lock ends with its connection: a process that is killed while it migrates does not block others. */
async function withMigrationLock<T>(postgresUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: postgresUrl,
    connectionTimeoutMillis: 10_000,
    statement_timeout: MAX_LOCK_STATEMENT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    const message = messageOf(error).includes("unsupported startup parameter")
      ? "POSTGRES_URL leads to PgBouncer, which would never release the lock of a migration. Run this command with the URL of PostgreSQL itself."
      : `The database cannot be reached. ${messageOf(error)}`;
    throw new MigrationError(message, { cause: error });
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
 * Retries instead of waiting in a statement. CREATE INDEX CONCURRENTLY waits for all earlier statements, so it would wait for a
 * statement that itself waits for the migration to finish: a deadlock.
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
    .description("Applies the migrations in prisma/migrations to the database in POSTGRES_URL.")
    .option(
      "--status",
      "only list pending, failed, edited and unknown migrations; exit code 1 if there are any",
    )
    .option("--retry <migration>", "apply a failed migration again, and then the others")
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

// Also check the name: when this file is bundled into another command, both paths are that command's.
if (process.argv[1] === fileURLToPath(import.meta.url) && /\bmigrate\.[jt]s$/.test(process.argv[1])) {
  main()
    .catch((error: unknown) => {
      console.error(messageOf(error));
      process.exitCode = 1;
    })
    // Do not wait for a timer of ten seconds that the engine leaves behind.
    .finally(() => process.exit());
}
