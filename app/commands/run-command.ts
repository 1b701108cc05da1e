import { existsSync } from "node:fs";
import { parsePostgresEnv, readEnvOrExit } from "../env.server";
import { createDatabase, type Database } from "../providers/database.server";

/** Where the running local stack writes what it gives the app; it takes the file away when it stops. */
const LOCAL_ENV_FILE = ".local/app.env";

/**
 * Loads the environment for a command: what is set already counts first, then `.env`, then a running local stack's. A
 * command that is about to change something says which database it means, so this prints where it took it from.
 * @param needed the variable without which the command cannot do; where that is set, the local stack is left alone
 */
export function loadEnvironment(needed = "POSTGRES_URL"): void {
  if (existsSync(".env")) process.loadEnvFile(".env");
  if (!process.env[needed]?.trim() && existsSync(LOCAL_ENV_FILE)) {
    process.loadEnvFile(LOCAL_ENV_FILE);
    console.error("Using the local stack.");
  }
}

/** Runs `work` with the environment's database, and closes it. */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  loadEnvironment();
  const database = createDatabase({ ...readEnvOrExit(parsePostgresEnv), poolSize: 2 });
  try {
    return await work(database);
  } finally {
    await database.$disconnect();
  }
}

/** Runs a command's main function; what it throws becomes one sentence on standard error and exit code 1. */
export async function runCommand(main: () => Promise<unknown>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
