/**
 * Prisma's schema engine in its WASM build, to compare our migrations and their record with Prisma's own. It comes from npm; the native
 * engine would be downloaded.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engineBindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import { Pool } from "pg";

const schemaFile = fileURLToPath(new URL("../../../prisma/schema.prisma", import.meta.url));

export const readSchema = async () => ({ path: schemaFile, content: await readFile(schemaFile, "utf8") });

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
  work: (engine: engineBindings.SchemaEngine) => Promise<T>,
): Promise<T> {
  instantiated ??= instantiate();
  await instantiated;
  const { path, content } = await readSchema();
  const pool = new Pool({ connectionString: postgresUrl });
  const engine = await engineBindings.SchemaEngine.new(
    { datamodels: [[path, content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool)),
  );
  try {
    return await work(engine);
  } finally {
    engine.free();
    // The engine leaves its connection open, which holds a lock.
    await pool.end();
  }
}
