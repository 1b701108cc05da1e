/** A PostgreSQL server for one test file, on a free port. Its files are removed at the end. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startPostgres } from "../../../local/postgres";
import { findFreePort } from "../machine/free-port";

export interface TestPostgres {
  /** creates an empty database and returns its URL */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

export async function startTestPostgres(): Promise<TestPostgres> {
  const dataDir = await makeTestFolder();
  const server = await startPostgres({
    dataDir,
    port: await findFreePort(),
    password: "test",
    throwaway: true,
  });
  let made = 0;
  return {
    async createDatabase() {
      const name = `test_${++made}`;
      await query(server.urlOf("postgres"), `CREATE DATABASE ${name}`);
      return server.urlOf(name);
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates a folder that other users may enter: tests that run as root start PostgreSQL as another user. */
export async function makeTestFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "platform-embed-test-"));
  await chmod(folder, 0o711);
  return folder;
}

/** Runs one statement on a new connection and returns the rows. */
export async function query<Row extends object>(
  postgresUrl: string,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
