import { PrismaPg } from "@prisma/adapter-pg";
import { Prisma, PrismaClient } from "../../prisma/generated/client";
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
  const adapter = new PrismaPg({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // Idle connections must not keep a process alive that has been asked to stop.
    allowExitOnIdle: true,
  });
  return new PrismaClient({ adapter, errorFormat: "minimal" }).$extends({
    query: {
      async $allOperations({ args, query }) {
        try {
          return await query(args);
        } catch (error) {
          throw isUnreachable(error) ? databaseUnavailable(error) : error;
        }
      },
    },
  });
}

export type Database = ReturnType<typeof createDatabase>;

/** Prisma's codes for a server that is not there, does not answer, closed the connection or has no place left. */
const unreachableCodes = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2037"]);
const unreachableMessages =
  /Can't reach database server|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|timeout exceeded when trying to connect|Connection terminated|the database system is (starting up|shutting down)|statement timeout/i;

function isUnreachable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientKnownRequestError && unreachableCodes.has(error.code)) return true;
  return error instanceof Error && (unreachableMessages.test(error.message) || isUnreachable(error.cause));
}

function databaseUnavailable(cause: unknown): AppError {
  return new AppError("unavailable", "The service cannot reach its database. Try again in a moment.", {
    cause,
    logDetail: cause instanceof Error ? cause.message : String(cause),
    retryAfterSeconds: 5,
  });
}
