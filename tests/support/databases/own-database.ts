/** A migrated database for one test file. */
import { randomBytes } from "node:crypto";
import { createDatabase, type Database } from "../../../app/providers/database.server";
import { migrate } from "../../../prisma/migrate";
import { query, startTestPostgres } from "./postgres";

export interface OwnDatabase {
  database: Database;
  url: string;
  stop(): Promise<void>;
}

/** Starts a new server, unless TEST_DATABASE_TEMPLATE names a database to copy. */
export async function startOwnDatabase(): Promise<OwnDatabase> {
  const { url, remove } = await (process.env.TEST_DATABASE_TEMPLATE
    ? copyDatabase(process.env.TEST_DATABASE_TEMPLATE)
    : startServer());
  const database = createDatabase({ url, poolSize: 4 });
  return {
    database,
    url,
    async stop() {
      await database.$disconnect();
      await remove();
    },
  };
}

async function startServer() {
  const postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  return { url, remove: postgres.stop };
}

async function copyDatabase(template: string) {
  const url = new URL(template);
  const templateName = url.pathname.slice(1);
  const name = `own_${randomBytes(6).toString("hex")}`;
  url.pathname = "/postgres";
  const server = url.href;
  await query(server, `CREATE DATABASE ${name} TEMPLATE ${templateName}`);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => query(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}
