import pg from "pg";

/**
 * Runs one statement that may take long, such as building an index, over a connection of its own without time limits. It ends with the
 * process. For commands only: no request may wait for it.
 * @throws an error of PostgreSQL
 */
export async function runLongStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 10_000 });
  // The statement rejects as well.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}
