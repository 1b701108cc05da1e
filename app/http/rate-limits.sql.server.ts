import type { Database } from "../providers/database.server";

/** What `rate-limiter-flexible` asks the database with. SQL, because the library writes it. */
export const storeClientOf = (database: Pick<Database, "$driverQuery">) => ({
  // Without the statement's name, because poolers in transaction mode have no prepared statements.
  query: async ({ text, values }: { text: string; values: unknown[] }) => ({
    rows: await database.$driverQuery({ text, values }),
  }),
});
