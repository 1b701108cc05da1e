/**
 * `npm run migrate`: applies the migrations in `prisma/migrations` to the database in POSTGRES_URL. It records them in Prisma's own
 * table as `prisma migrate deploy` does, so that this can be used instead at any time.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { Client, type ClientConfig, DatabaseError } from "pg";
import { plainValues } from "../app/env/env.server";
import { messageOf } from "../app/shared/error-text";
import {
  compareWithDatabase,
  type Migration,
  type MigrationStatus,
  migrationsFolder,
  readMigrations,
} from "./migration-history";

/** The number that `prisma migrate` uses, so that the two wait for each other. */
const MIGRATION_LOCK = 72_707_369;
const LOCK_RETRY_MS = 200;
const CONNECT_TIMEOUT_MS = 10_000;
/** These statements are instant. We set a limit only because PgBouncer refuses connections that set one; that is how we detect it. */
const MAX_LOCK_STATEMENT_MS = 60_000;

/** Prisma's table. */
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

/** A problem that the message explains to the person who runs the command; no stack trace is needed. */
export class MigrationError extends Error {}

/**
 * Applies all pending migrations and returns their names. When several processes start at once, one applies them and the
 * others wait.
 * @throws MigrationError with the name of the migration and PostgreSQL's message
 */
export async function migrate(postgresUrl: string, folder = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return withMigrationLock(postgresUrl, async (client) => {
    const { failed, pending } = await statusOf(client, migrations);
    if (failed[0] !== undefined) throw failure(failed[0], await readLog(client, failed[0]));
    for (const migration of migrations.filter(({ name }) => pending.includes(name)))
      await apply(postgresUrl, migration, client);
    return pending;
  });
}

/** Runs one migration on a connection of its own, with which its settings end, and records the outcome by `record`. */
function apply(postgresUrl: string, { name, sql, checksum }: Migration, record: Client): Promise<void> {
  return withClient({ connectionString: postgresUrl }, async (client) => {
    const id = randomUUID();
    await record.query("INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)", [
      id,
      checksum,
      name,
    ]);
    // As a whole: PostgreSQL rolls all of it back if one statement fails.
    await client.query(sql).catch(async (error: unknown) => {
      const log = describe(error);
      await record.query("UPDATE _prisma_migrations SET logs = $2 WHERE id = $1", [id, log]);
      throw failure(name, log, error);
    });
    await record.query(
      "UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1",
      [id],
    );
  });
}

/** Records that a failed migration was rolled back, so that the next `migrate` applies it again. */
export async function retryFailedMigration(postgresUrl: string, migrationName: string): Promise<void> {
  await withMigrationLock(postgresUrl, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE _prisma_migrations SET rolled_back_at = now()
        WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
      [migrationName],
    );
    if (rowCount === 0)
      throw new MigrationError(`No migration ${migrationName} has failed in this database.`);
  });
}

/** Compares the folder with the database without changing anything. */
export async function migrationStatus(
  postgresUrl: string,
  folder = migrationsFolder,
): Promise<MigrationStatus> {
  const migrations = await readMigrations(folder);
  return withClient({ connectionString: postgresUrl }, (client) => statusOf(client, migrations));
}

const statusOf = (client: Client, migrations: readonly Migration[]) =>
  compareWithDatabase(migrations, async (sql) => (await client.query(sql)).rows);

async function readLog(client: Client, name: string): Promise<string> {
  const { rows } = await client.query<{ logs: string | null }>(
    "SELECT logs FROM _prisma_migrations WHERE migration_name = $1 AND rolled_back_at IS NULL",
    [name],
  );
  return rows[0]?.logs ?? "It was interrupted.";
}

function failure(name: string, log: string, cause?: unknown): MigrationError {
  return new MigrationError(
    `The migration ${name} failed. Later migrations were not applied.\n${log}\nWhen the cause is fixed, run: npm run migrate -- --retry ${name}`,
    { cause },
  );
}

/** PostgreSQL's message, with what it adds to it. */
function describe(error: unknown): string {
  const { detail, hint } = error instanceof DatabaseError ? error : {};
  return [messageOf(error), detail, hint].filter(Boolean).join("\n");
}

async function withClient<T>(config: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {});
  await client.connect().catch((error: unknown) => {
    const message = messageOf(error).includes("unsupported startup parameter")
      ? "POSTGRES_URL leads to PgBouncer, which would never release the lock of a migration. Run this command with the URL of PostgreSQL itself."
      : `The database cannot be reached. ${messageOf(error)}`;
    throw new MigrationError(message, { cause: error });
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The lock ends with its connection: a process that is killed while it migrates does not block others. */
function withMigrationLock<T>(postgresUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const config = { connectionString: postgresUrl, statement_timeout: MAX_LOCK_STATEMENT_MS };
  return withClient(config, async (client) => {
    await takeLock(client);
    await client.query(MIGRATIONS_TABLE);
    return work(client);
  });
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
  const postgresUrl = plainValues(process.env).POSTGRES_URL;
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
  main().catch((error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  });
}
