/**
 * Prisma's schema engine in its WASM build. It is the engine of `prisma migrate` and uses the same `_prisma_migrations` table, but
 * it comes from npm and uses a `pg` connection: nothing is downloaded at run time.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, DriverAdapterError } from "@prisma/driver-adapter-utils";
import type { MigrationList, SchemasContainer } from "@prisma/schema-engine-wasm/schema_engine_bg";
import * as engineBindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import { DatabaseError, Pool } from "pg";
import { messageOf } from "../app/shared/error-text";

const ownFolder = dirname(fileURLToPath(import.meta.url));
/** The folder of this file; when it is bundled into a command, `prisma` in the working directory. */
const prismaFolder = existsSync(join(ownFolder, "migrations")) ? ownFolder : resolve("prisma");
export const migrationsFolder = join(prismaFolder, "migrations");

export const noFilter = { externalTables: [], externalEnums: [] };

export type SchemaEngine = engineBindings.SchemaEngine;

let instantiated: Promise<void> | undefined;

/** Does what importing the .wasm module would do, for which Node 20 needs a flag. */
async function instantiate(): Promise<void> {
  const bindingsFile = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const bytes = await readFile(join(dirname(bindingsFile), "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(bytes, {
    "./schema_engine_bg.js": engineBindings as unknown as WebAssembly.ModuleImports,
  });
  engineBindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === "function") start();
}

/** Opens an engine on the database, and closes it after `work`. */
export async function withSchemaEngine<T>(
  postgresUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  instantiated ??= instantiate();
  await instantiated;
  const pool = new Pool({ connectionString: postgresUrl, connectionTimeoutMillis: 10_000 });
  pool.on("error", () => {});
  const engine = await engineBindings.SchemaEngine.new(
    { datamodels: (await readSchema()).files.map((file): [string, string] => [file.path, file.content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new WholeScriptAdapter(pool)),
  );
  try {
    return await work(engine);
  } finally {
    engine.free();
    // The engine leaves its connection open, which holds the lock that other processes wait for.
    await pool.end();
  }
}

/**
 * Sends a script to PostgreSQL as a whole, like the native engine, so that a script that fails is rolled back. Prisma's adapter splits
 * it at every semicolon, even in function bodies and comments, and commits each piece separately.
 */
class WholeScriptAdapter extends PrismaPg {
  override async connect() {
    const connection = await super.connect();
    const pool = connection.underlyingDriver();
    connection.executeScript = async (script) => {
      await pool.query(script).catch((error: unknown) => {
        throw error instanceof DatabaseError ? asAdapterError(error) : error;
      });
    };
    return connection;
  }
}

/** Converts PostgreSQL's error to the one from which the engine takes its message. */
function asAdapterError({
  code = "XX000",
  severity = "ERROR",
  message,
  detail,
  column,
  hint,
}: DatabaseError) {
  return new DriverAdapterError({ kind: "postgres", code, severity, message, detail, column, hint });
}

export async function readSchema(): Promise<SchemasContainer> {
  const path = join(prismaFolder, "schema.prisma");
  return { files: [{ path, content: await readFile(path, "utf8") }] };
}

/** The migrations in `baseDir`, oldest first, in the form that the engine takes. */
export async function readMigrations(baseDir: string): Promise<MigrationList> {
  const entries = await readdir(baseDir, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const lockfile = await readFile(join(baseDir, "migration_lock.toml"), "utf8").catch(() => null);
  return {
    baseDir,
    lockfile: { path: "migration_lock.toml", content: lockfile },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(
      folders.sort().map(async (path) => ({
        path,
        migrationFile: { path: "migration.sql", content: await readMigrationFile(join(baseDir, path)) },
      })),
    ),
  };
}

type MigrationContent = MigrationList["migrationDirectories"][number]["migrationFile"]["content"];

async function readMigrationFile(folder: string): Promise<MigrationContent> {
  try {
    return { tag: "ok", value: await readFile(join(folder, "migration.sql"), "utf8") };
  } catch (error) {
    return { tag: "error", value: messageOf(error) };
  }
}
