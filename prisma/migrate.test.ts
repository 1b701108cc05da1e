import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query, startTestPostgres, type TestPostgres } from "../tests/support/databases/postgres";
import { withSchemaEngine } from "../tests/support/databases/schema-engine";
import { findFreePort } from "../tests/support/machine/free-port";
import { migrate, migrationStatus, retryFailedMigration } from "./migrate";
import { migrationsFolder, readMigrations } from "./migration-history";

const FIRST = "20261128000000_init";

let postgres: TestPostgres;
let database: string;
const folders: string[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
});

afterAll(async () => {
  await postgres?.stop();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** The committed migrations, and one more. */
async function migrationsAnd(name: string, sql: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "platform-embed-migrations-"));
  folders.push(folder);
  await cp(migrationsFolder, folder, { recursive: true });
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, "migration.sql"), sql);
  return folder;
}

/** Runs `npm run migrate` as it is run in production. */
async function runMigrate(args: string[], env: Record<string, string>) {
  const tsx = fileURLToPath(new URL("../node_modules/tsx/dist/cli.mjs", import.meta.url));
  const command = fileURLToPath(new URL("migrate.ts", import.meta.url));
  const child = spawn(process.execPath, [tsx, command, ...args], {
    cwd: tmpdir(),
    env: { ...process.env, POSTGRES_URL: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { stdout, stderr, code };
}

describe("migrate", () => {
  it("brings an empty database up to date, and then finds nothing to do", async () => {
    database = await postgres.createDatabase();
    expect((await migrationStatus(database)).pending).toContain(FIRST);
    expect(await migrate(database)).toContain(FIRST);
    expect(await migrate(database)).toEqual([]);
    expect(await migrationStatus(database)).toEqual({ pending: [], failed: [], edited: [], unknown: [] });
  });

  it("keeps a companies table that somebody else made, with its rows and its other columns", async () => {
    database = await postgres.createDatabase();
    await query(
      database,
      `CREATE TABLE companies (id text PRIMARY KEY, name text NOT NULL, plan text, seats integer NOT NULL DEFAULT 1)`,
    );
    await query(database, `INSERT INTO companies VALUES ('co_1', 'Northwind', 'pro', 40)`);
    await migrate(database);
    expect(await query(database, `SELECT * FROM companies`)).toEqual([
      { id: "co_1", name: "Northwind", plan: "pro", seats: 40 },
    ]);
    await query(
      database,
      `INSERT INTO embed_clients (id, "companyId", name, api_key_hash) VALUES ('ec_1', 'co_1', 'Portal', 'x')`,
    );
  });

  it("is done once when several replicas start at the same time", async () => {
    database = await postgres.createDatabase();
    const applied = await Promise.all([migrate(database), migrate(database), migrate(database)]);
    expect(applied.filter((names) => names.includes(FIRST))).toHaveLength(1);
    expect(
      await query(database, `SELECT 1 FROM _prisma_migrations WHERE migration_name = $1`, [FIRST]),
    ).toHaveLength(1);
  });

  it("keeps the same record as Prisma, of success, failure and retry", async () => {
    const folder = await mkdtemp(join(tmpdir(), "platform-embed-migrations-"));
    folders.push(folder);
    const broken = "2_broken";
    for (const [name, sql] of [
      ["1_good", "CREATE TABLE good (id text PRIMARY KEY)"],
      [broken, "SELECT missing_function()"],
    ] as const) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "migration.sql"), sql);
    }
    const [ours, prismas] = [await postgres.createDatabase(), await postgres.createDatabase()];
    const filters = { externalTables: [], externalEnums: [] };
    const migrationsList = {
      baseDir: folder,
      lockfile: { path: "migration_lock.toml", content: null },
      shadowDbInitScript: "",
      migrationDirectories: (await readMigrations(folder)).map(({ name, sql }) => ({
        path: name,
        migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value: sql } },
      })),
    };
    const apply = () =>
      withSchemaEngine(prismas, (engine) => engine.applyMigrations({ migrationsList, filters }));
    const expectTheSame = async () => {
      const columns = `SELECT column_name, udt_name, character_maximum_length, is_nullable, column_default
        FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`;
      const rows = `SELECT migration_name, checksum, applied_steps_count, length(id) AS id, logs IS NULL AS "noLogs",
        finished_at IS NULL AS "isUnfinished", rolled_back_at IS NULL AS "isValid"
        FROM _prisma_migrations ORDER BY started_at`;
      for (const sql of [columns, rows]) expect(await query(ours, sql)).toEqual(await query(prismas, sql));
    };

    await expect(migrate(ours, folder)).rejects.toThrow(/missing_function/);
    await expect(apply()).rejects.toThrow(/missing_function/);
    await expectTheSame();
    const found = await withSchemaEngine(ours, (engine) =>
      engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters }),
    );
    expect(found).toMatchObject({ failedMigrationNames: [broken], editedMigrationNames: [], history: null });

    await retryFailedMigration(ours, broken);
    await withSchemaEngine(prismas, (engine) => engine.markMigrationRolledBack({ migrationName: broken }));
    for (const url of [ours, prismas])
      await query(url, `CREATE FUNCTION missing_function() RETURNS integer LANGUAGE sql AS 'SELECT 1'`);
    expect(await migrate(ours, folder)).toEqual([broken]);
    await apply();
    await expectTheSame();
  });

  it("names the migration that failed and what PostgreSQL said, and goes no further until told to retry", async () => {
    database = await postgres.createDatabase();
    const name = "20270101000000_broken";
    const folder = await migrationsAnd(name, "CREATE TABLE half (id text); SELECT missing_function();");
    await expect(migrate(database, folder)).rejects.toThrow(
      /^The migration 20270101000000_broken failed[\s\S]*function missing_function\(\) does not exist/,
    );
    expect((await migrationStatus(database, folder)).failed).toEqual([name]);
    await expect(migrate(database, folder)).rejects.toThrow(/20270101000000_broken[\s\S]*missing_function/);
    await expect(retryFailedMigration(database, FIRST)).rejects.toThrow(`No migration ${FIRST} has failed`);

    await query(database, `CREATE FUNCTION missing_function() RETURNS integer LANGUAGE sql AS 'SELECT 1'`);
    await retryFailedMigration(database, name);
    expect(await migrate(database, folder)).toEqual([name]);
  });

  it("runs a script with semicolons in strings, comments and function bodies", async () => {
    database = await postgres.createDatabase();
    const folder = await migrationsAnd(
      "20270101000000_semicolons",
      `-- one; two
       CREATE FUNCTION greet() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'a;b'; END; $$;`,
    );
    await migrate(database, folder);
    expect(await query(database, "SELECT greet()")).toEqual([{ greet: "a;b" }]);
  });

  it("sees a migration that was changed after it was applied, and one that only the database knows", async () => {
    database = await postgres.createDatabase();
    const name = "20270101000000_more";
    const folder = await migrationsAnd(name, "CREATE TABLE more (id text PRIMARY KEY);");
    await migrate(database, folder);
    expect((await migrationStatus(database)).unknown).toEqual([name]);
    await writeFile(join(folder, name, "migration.sql"), "CREATE TABLE more (id integer PRIMARY KEY);");
    expect((await migrationStatus(database, folder)).edited).toEqual([name]);
  });
});

describe("npm run migrate", () => {
  it("says what is pending with --status, applies it, and then says that all is up to date", async () => {
    database = await postgres.createDatabase();
    const env = { POSTGRES_URL: database };
    const { pending } = await migrationStatus(database);
    const each = (word: string) => pending.map((name) => `${word}  ${name}\n`).join("");
    expect(await runMigrate(["--status"], env)).toMatchObject({ code: 1, stdout: each("pending") });
    expect(await runMigrate([], env)).toEqual({ code: 0, stdout: each("applied"), stderr: "" });
    expect(await runMigrate(["--status"], env)).toMatchObject({
      code: 0,
      stdout: "The database is up to date.\n",
    });
  });

  it("explains itself", async () => {
    const { code, stdout } = await runMigrate(["--help"], {});
    expect(code).toBe(0);
    expect(stdout).toContain("POSTGRES_URL");
  });

  it("ends with exit code 1 and one sentence when it has no database", async () => {
    const nobody = `postgresql://postgres:hunter2@127.0.0.1:${await findFreePort()}/x`;
    expect(await runMigrate([], {})).toMatchObject({ code: 1, stderr: /POSTGRES_URL is not set/ });
    const refused = await runMigrate([], { POSTGRES_URL: nobody });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^The database cannot be reached\. .*ECONNREFUSED/);
    expect(refused.stderr).not.toContain("hunter2");
  });
});
