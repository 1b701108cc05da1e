/**
 * Prisma's schema engine in its WASM build, to compare our migrations and their record with Prisma's own. It comes from npm; the native
 * engine would be downloaded.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
} from "@prisma/driver-adapter-utils";
import * as engineBindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import { Pool, type QueryConfig, type QueryResult } from "pg";
import { query } from "./postgres";

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

interface EngineOptions {
  /** the product's own by default */
  schema?: { path: string; content: string };
  /** the database in which it tries migrations out; without it, the engine creates one */
  shadowUrl?: string | undefined;
}

/** Empties the database first, as the native engine does with `shadowDatabaseUrl`. */
async function connectToShadow(shadowUrl: string) {
  await query(shadowUrl, "DROP SCHEMA public CASCADE");
  await query(shadowUrl, "CREATE SCHEMA public");
  return new PrismaPg(openPool(shadowUrl), { disposeExternalPool: true }).connect().then(withLetters);
}

/** PostgreSQL's types of single letters, which only its catalogue has, and of lists of them. */
const [LETTER, LETTERS] = [18, 1002];

/** Prisma's adapter knows lists of letters, and refuses a single one. The native engine reads both. */
function openPool(postgresUrl: string): Pool {
  const pool = new Pool({ connectionString: postgresUrl });
  const send = pool.query.bind(pool) as (query: QueryConfig) => Promise<QueryResult>;
  const query = async (config: QueryConfig) => {
    const result = await send(config);
    for (const field of result.fields ?? []) if (field.dataTypeID === LETTER) field.dataTypeID = LETTERS;
    return result;
  };
  return Object.assign(pool, { query });
}

/** Makes single letters of the columns that `openPool` has declared to be lists. */
function withLetters<Adapter extends Pick<SqlDriverAdapter, "queryRaw">>(adapter: Adapter): Adapter {
  const ask = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (query) => {
    const { columnTypes, ...result } = await ask(query);
    const { Character, CharacterArray } = ColumnTypeEnum;
    return {
      ...result,
      columnTypes: columnTypes.map((type) => (type === CharacterArray ? Character : type)),
    };
  };
  return adapter;
}

/** Opens an engine on the database, and closes it after `work`. */
export async function withSchemaEngine<T>(
  postgresUrl: string,
  work: (engine: engineBindings.SchemaEngine) => Promise<T>,
  { schema, shadowUrl }: EngineOptions = {},
): Promise<T> {
  instantiated ??= instantiate();
  await instantiated;
  const { path, content } = schema ?? (await readSchema());
  const pool = openPool(postgresUrl);
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = () => connect().then(withLetters);
  if (shadowUrl !== undefined) factory.connectToShadowDb = () => connectToShadow(shadowUrl);
  const engine = await engineBindings.SchemaEngine.new(
    { datamodels: [[path, content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(factory),
  );
  try {
    return await work(engine);
  } finally {
    engine.free();
    // The engine leaves its connection open, which holds a lock.
    await pool.end();
  }
}
