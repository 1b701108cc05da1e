import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "../../prisma/generated/client";
import { AppError } from "../app-error";

/** How long a request waits for a connection, milliseconds; pg's own default is for ever. */
const CONNECTION_TIMEOUT_MS = 5_000;
/** How long one statement may take, milliseconds. Nothing that a request does comes near it. */
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * A Prisma client over a pool of `poolSize` connections. A database that cannot be reached, or not in time, is an AppError
 * `unavailable`; any other failure stays what Prisma made of it.
 */
export function createDatabase({ url, poolSize }: { url: string; poolSize: number }) {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // Idle connections must not keep a process alive that has been asked to stop.
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced; without a listener its error would end the process.
  pool.on("error", () => {});
  const adapter = new PrismaPg(pool, { disposeExternalPool: true });
  return new PrismaClient({ adapter, errorFormat: "minimal" }).$extends({
    query: {
      $allOperations: ({ args, query }) => query(args).catch(rethrow),
    },
    client: {
      /**
       * One statement by the driver alone, over the same connections. For what runs on every request: Prisma's own way costs
       * several times the statement itself (docs/decisions/0007).
       */
      async $driverQuery<Row extends object>(statement: string, values: unknown[]): Promise<Row[]> {
        return (await pool.query<Row>(statement, values).catch(rethrow)).rows;
      },
    },
  });
}

function rethrow(error: unknown): never {
  throw isUnreachable(error) ? databaseUnavailable(error) : error;
}

export type Database = ReturnType<typeof createDatabase>;

/**
 * Codes of a server that is not there, does not answer, closed the connection, is starting or stopping, or has no place left:
 * Prisma's, Node's and PostgreSQL's own (SQLSTATE classes 08, 53 and 57).
 */
const unreachableCode =
  /^(P1001|P1002|P1008|P1017|P2024|P2037|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|08...|53300|57P0[1-3]|57014)$/;
/** What comes without a code. */
const unreachableMessage =
  /Can't reach database server|timeout exceeded when trying to connect|Connection terminated|timeout expired/i;

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return unreachableCode.test(code) || unreachableMessage.test(error.message) || isUnreachable(error.cause);
}

function databaseUnavailable(cause: unknown): AppError {
  return new AppError("unavailable", "The service cannot reach its database. Try again in a moment.", {
    cause,
    logDetail: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
    retryAfterSeconds: 5,
  });
}
