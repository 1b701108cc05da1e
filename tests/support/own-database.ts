/** A migrated database on a PostgreSQL server of a test file's own. */
import { createDatabase, type Database } from "../../app/providers/database.server";
import { migrate } from "../../prisma/migrate";
import { startTestPostgres } from "./postgres";

export interface OwnDatabase {
  database: Database;
  url: string;
  stop(): Promise<void>;
}

export async function startOwnDatabase(): Promise<OwnDatabase> {
  const postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  const database = createDatabase({ url, poolSize: 4 });
  return {
    database,
    url,
    async stop() {
      await database.$disconnect();
      await postgres.stop();
    },
  };
}
