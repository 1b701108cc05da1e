import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import type { z } from "zod";
import { PrismaClient } from "../../prisma/generated/client";
import { AppError } from "../shared/app-error";
import { codeOf, nameAndMessageOf } from "../shared/error-text";
import { storableText } from "../shared/storable-text";
import { Turns } from "../shared/turns";
import { withinLimit } from "../shared/within-limit";
import { observeCall } from "../telemetry/observe.server";
import { isConnectionError } from "./connection-errors";
import { checkRows, UnexpectedRowError } from "./sql.server";

/** All in milliseconds. */
const LIMITS = {
  /** how long a request waits for a connection; pg's default is no limit */
  connectionMs: 3_000,
  /** when nobody who waits has got a connection for this long, further requests are refused at once */
  stuckMs: 1_000,
  /** how long one statement may take before the server ends it; far above what requests need */
  statementMs: 4_000,
  /** when the client gives up a statement that the server has not ended */
  queryMs: 4_500,
  /** how long an interactive transaction may take; then it is rolled back */
  transactionMs: 5_000,
  /**
   * how long a connection may be silent, in use or not. When a network drops packets silently, this removes its dead connections from
   * the pool; otherwise they would be used, one after the other, long after new ones would work
   */
  silenceMs: 5_000,
  /** how long `$ping` waits for a response, with a new connection if it needs one; load balancers wait for 2 seconds */
  pingMs: 1_500,
};

/**
 * How many calls may wait for a connection, for each connection. A query of a request takes about a millisecond, so the last of them waits
 * for a fraction of a second while the database is well. While it is not, further calls are refused at once instead of after the whole wait.
 */
const MAX_WAITING_PER_CONNECTION = 200;

/** How many statements may wait for their turn, of one caller. */
const MAX_WAITING_TURNS = 100;

/** A statement and its values: `Sql`, or what a library of ours has written. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs a statement. Its rows are checked by the schema `row`, without which they have no members that code may read. */
type RunStatement = <Row extends object = object>(
  statement: Statement,
  row?: z.ZodType<Row>,
) => Promise<Row[]>;

interface DatabaseSettings {
  url: string;
  poolSize: number;
  limits?: typeof LIMITS;
}

/**
 * A Prisma client over a pool of `poolSize` connections. A database that cannot be reached, or not in time, is an AppError
 * `unavailable`; any other failure stays what Prisma made of it. A call ends by itself after 7.5 seconds at most: a connection,
 * and a statement on it; one that waits for its turn before, after 10.5. docs/decisions/0051.
 */
export function createDatabase({ url, poolSize, limits = LIMITS }: DatabaseSettings) {
  const connection = {
    connectionString: url,
    keepAlive: true,
    stream: () => createSocketWithTimeout(limits.silenceMs),
    // Idle connections must not keep a process alive that has been asked to stop.
    allowExitOnIdle: true,
  };
  const openPool = (max: number, timeouts: pg.PoolConfig) => {
    const opened = new pg.Pool({ ...connection, max, ...timeouts });
    // An idle connection that breaks is replaced; without a listener its error would end the process.
    opened.on("error", () => {});
    return opened;
  };
  const timeouts = {
    connectionTimeoutMillis: limits.connectionMs,
    statement_timeout: limits.statementMs,
    query_timeout: limits.queryMs,
  };
  /** For everything: Prisma's client, its transactions and `$driverQuery`. */
  const pool = openPool(poolSize, timeouts);
  /**
   * One more connection, for `$reservedQuery` alone: a full pool would look like an outage to it, during which revoked tokens are accepted.
   */
  const reservedPool = openPool(1, timeouts);
  /**
   * Another one, for `$ping` alone: while all others wait for a locked table, the database still responds. Without a `statement_timeout`,
   * which PgBouncer may refuse; `query_timeout` ends every wait.
   */
  const pingPool = openPool(1, { connectionTimeoutMillis: limits.pingMs, query_timeout: limits.pingMs });
  let ping: Promise<unknown> | undefined;
  /** When a call last got a connection, or nobody waited for one. */
  let movedAt = performance.now();
  pool.on("acquire", () => {
    movedAt = performance.now();
  });
  /**
   * PgBouncer refuses connections that set `statement_timeout`, unless its `ignore_startup_parameters` names it. Later connections go
   * without; `query_timeout` still ends every wait. A `SET` after connecting would reach other clients of PgBouncer.
   */
  const callOver = <Result>(used: pg.Pool, operation: () => Promise<Result>): Promise<Result> =>
    operation()
      .catch((error: unknown) => {
        if (!isStatementTimeoutRefused(error)) throw error;
        used.options.statement_timeout = undefined;
        return operation();
      })
      .catch((error: unknown) => {
        // Of the statements of a transaction, or thrown by its work.
        if (error instanceof AppError) throw error;
        if (isPoolFull(error)) throw poolFull(poolSize, error);
        if (wasRolledBack(error)) throw rolledBack(error);
        throw isUnreachable(error) ? databaseUnavailable(error) : error;
      });
  const places = Math.ceil(poolSize / 2);
  const turns = new Turns(places, Math.ceil(places / 2));
  /** Does work in its turn. @param caller who takes turns with others */
  const takeTurn = async <Result>(caller: string, work: () => Promise<Result>): Promise<Result> => {
    if (turns.waitingOf(caller) >= MAX_WAITING_TURNS) throw noTurn(places);
    const late = AbortSignal.timeout(limits.connectionMs);
    return turns.take(caller, work, late).catch((thrown: unknown) => {
      throw thrown === late.reason ? noTurn(places, thrown) : thrown;
    });
  };
  const isFull = () => pool.waitingCount >= poolSize * MAX_WAITING_PER_CONNECTION;
  const isStuck = (): boolean => {
    if (pool.waitingCount === 0) movedAt = performance.now();
    return performance.now() - movedAt > limits.stuckMs;
  };
  const call = async <Result>(operation: () => Promise<Result>): Promise<Result> => {
    // If this process was busy itself, responses have come that it has not read. They are read between two turns of the event loop.
    for (let turns = 0; turns < 2 && isStuck() && !isFull(); turns++) await nextTurn();
    if (isStuck() || isFull()) throw poolFull(poolSize);
    return callOver(pool, operation);
  };
  const observed = <Result>(query: () => Promise<Result>) => observeCall("database", "query", query);
  const adapter = new PrismaPg(pool, { disposeExternalPool: true });
  const client = new PrismaClient({
    adapter,
    errorFormat: "minimal",
    transactionOptions: {
      // Longer than a connection and its first statement: what pg throws says more than Prisma's own timeout.
      maxWait: limits.connectionMs + limits.queryMs,
      timeout: limits.transactionMs,
    },
  });
  const withOperations = client.$extends({
    query: {
      $allOperations: ({ model, operation, args, query }) =>
        observeCall("database", model === undefined ? operation : `${model}.${operation}`, () =>
          call(() => Promise.resolve(query(args))),
        ),
    },
    client: {
      /**
       * One statement by the driver alone, over the same connections, for what Prisma cannot say or is too slow for
       * (app/providers/README.md). NUL in a text is replaced as it is where the text is stored (`storableText`), because PostgreSQL refuses
       * it. It is done here and for all texts: keys of a store are in a dozen statements, and one that is forgotten makes a key of a stranger
       * our error.
       */
      $driverQuery: runBy((text, values) => observed(() => call(() => pool.query(text, values)))),
      /**
       * As `$driverQuery`, for statements that may take long, because they read many events or much of a catalogue: half of the connections
       * carry them out at most, so that all else goes on while they are slow. One caller has half of these, and the callers take turns.
       * @param caller whose events or catalogues are read, such as a company
       * @param options `milliseconds`: the server ends the statement after this time, and `isStatementTooSlow` is true of the error
       */
      $queryInTurn: <Row extends object = object>(
        caller: string,
        statement: Statement,
        row?: z.ZodType<Row>,
        { milliseconds }: { milliseconds?: number } = {},
      ): Promise<Row[]> => {
        const run = (text: string, values: unknown[]) =>
          milliseconds === undefined
            ? pool.query<object>(text, values)
            : queryWithin(pool, milliseconds, text, values);
        return runBy((text, values) => observed(() => takeTurn(caller, () => call(() => run(text, values)))))(
          statement,
          row,
        );
      },
      /**
       * As `$driverQuery`, over a connection that nothing else uses: for what must not wait while requests use all others. Any number of
       * calls may wait for it.
       */
      $reservedQuery: runBy((text, values) =>
        observed(() => callOver(reservedPool, () => reservedPool.query(text, values))),
      ),
      /**
       * Checks that the database responds, within 1.5 seconds and whatever the other connections are doing. Concurrent checks are one
       * query. @throws AppError `unavailable`
       */
      async $ping(): Promise<void> {
        ping ??= pingPool.query("SELECT 1").finally(() => {
          ping = undefined;
        });
        const answered = withinLimit(limits.pingMs, ping, () => new Error("timeout expired"));
        await observeCall("database", "ping", () =>
          answered.catch((error: unknown) => {
            throw databaseUnavailable(error);
          }),
        );
      },
      async $disconnect(): Promise<void> {
        const others = [reservedPool, pingPool].map((other) => other.ended || other.end());
        await Promise.all([client.$disconnect(), ...others]);
      },
      /** What the connections are doing. */
      $poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    },
  });
  // What runs over other connections is no part of a transaction.
  type Transaction = Omit<
    Parameters<Parameters<typeof withOperations.$transaction>[0]>[0],
    "$driverQuery" | "$queryInTurn" | "$reservedQuery" | "$ping"
  >;
  return withOperations.$extends({
    client: {
      /**
       * Prisma's interactive transaction, which is rolled back if `work` throws.
       * @throws AppError `unavailable`, also if it cannot begin or end; and what `work` throws
       */
      $transaction: <Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> =>
        call(() => withOperations.$transaction(work)),
    },
  });
}

const runBy =
  (query: (text: string, values: unknown[]) => Promise<{ rows: object[] }>): RunStatement =>
  async <Row extends object>({ text, values }: Statement, row?: z.ZodType<Row>) => {
    const { rows } = await query(text, storable(values));
    return row === undefined ? (rows as Row[]) : checkRows(rows, row);
  };

/**
 * Runs a statement that only reads in a transaction, which has the deadline: so PgBouncer gives it to no other client. A connection whose
 * statement has failed is closed, and the transaction ends with it.
 */
async function queryWithin(pool: pg.Pool, milliseconds: number, text: string, values: unknown[]) {
  const connection = await pool.connect();
  // If the connection is lost, the statement rejects as well. The pool listens only while nobody uses it.
  const ignore = () => {};
  connection.on("error", ignore);
  let failure: Error | undefined;
  try {
    await connection.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${milliseconds}`);
    const result = await connection.query<object>(text, values);
    await connection.query("COMMIT");
    return result;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    connection.release(failure);
    connection.off("error", ignore);
  }
}

/** A connection that ends when nothing has come or gone over it for a while. */
function createSocketWithTimeout(silenceMs: number): Socket {
  const socket = new Socket();
  socket.setTimeout(silenceMs, () => socket.destroy(new Error("Connection terminated: it was silent")));
  return socket;
}

export type Database = ReturnType<typeof createDatabase>;

export type Transaction = Parameters<Parameters<Database["$transaction"]>[0]>[0];

/** Runs statements in a transaction of Prisma, which has no other way for them. Prisma converts the values of their rows. */
export const inTransaction = (transaction: Transaction): Pick<Database, "$driverQuery"> => ({
  $driverQuery: runBy(async (statement, values) => ({
    rows: await transaction.$queryRawUnsafe<object[]>(statement, ...values),
  })),
});

/** Runs statements in the turn of a caller: `$queryInTurn`. */
export const inTurnOf = (
  database: Pick<Database, "$queryInTurn">,
  caller: string,
): Pick<Database, "$driverQuery"> => ({
  $driverQuery: (statement, row) => database.$queryInTurn(caller, statement, row),
});

/** Whether a statement has returned a row that is not as its schema says. The statement has been carried out. */
export const isUnexpectedRow = (error: unknown): boolean => error instanceof UnexpectedRowError;

/** SQLSTATE, in `codeOf` of an error. PostgreSQL, "PostgreSQL Error Codes" */
export const DEADLOCK = "40P01";
const SERIALIZATION_FAILURE = "40001";
const QUERY_CANCELED = "57014";
export const UNIQUE_VIOLATION = "23505";
/** Prisma's code for a row that was to be changed or deleted, and is not there. Prisma's reference of errors */
export const NO_SUCH_RECORD = "P2025";

/** Any other text cannot be an id: PostgreSQL stores no null character, and indexes no longer ones. People may choose ids of their own. */
export const RECORD_ID = /^[^\0\p{Cs}]{1,1000}$/u;

/**
 * Codes of a server that does not respond, closed the connection, is starting or stopping, or has no place left: Prisma's and
 * PostgreSQL's own (SQLSTATE classes 08, 53 and 57). Also 25006, of a server that is read-only since a failover made another one the
 * primary: pg's pool closes a connection whose statement failed, and the next one leads to the new primary.
 */
const unreachableCode = /^(P1001|P1002|P1008|P1017|P2024|P2037|08...|25006|53300|57P0[1-3]|57014)$/;
/** Errors without a code. */
const unreachableMessage =
  /Can't reach database server|Connection terminated|timeout expired|Query read timeout/i;

/** Whether an error, or one of its causes, passes the test. */
function isCausedBy(error: unknown, test: (error: Error) => boolean): boolean {
  return error instanceof Error && (test(error) || isCausedBy(error.cause, test));
}

/** Whether an error, or one of its causes, has one of these codes: PostgreSQL's SQLSTATE, or Prisma's. */
export const isCausedByCode = (error: unknown, ...codes: readonly string[]): boolean =>
  isCausedBy(error, (cause) => codes.includes(codeOf(cause)) || codes.includes(sqlStateOf(cause)));

/** Repeats a statement that PostgreSQL has ended because another one waited for it, and it for the other. */
export async function repeatOnDeadlock<Result>(query: () => Promise<Result>): Promise<Result> {
  try {
    return await query();
  } catch (error) {
    if (!isCausedByCode(error, DEADLOCK)) throw error;
    return query();
  }
}

/**
 * Whether nothing was changed, because another transaction was in the way or this one took too long, so that a repeated request may succeed.
 * P2028: a transaction did not begin or end in time; P2034: PostgreSQL ended it.
 */
const wasRolledBack = (error: unknown) =>
  isCausedByCode(error, DEADLOCK, SERIALIZATION_FAILURE, "P2028", "P2034");

const isUnreachable = (error: unknown) =>
  isCausedBy(
    error,
    (cause) =>
      isConnectionError(cause) ||
      unreachableCode.test(codeOf(cause)) ||
      unreachableCode.test(sqlStateOf(cause)) ||
      unreachableMessage.test(cause.message),
  );

/** PostgreSQL's SQLSTATE in an error of Prisma that has a code of its own for every error of the database (P2039); empty if there is none. */
export function sqlStateOf(error: unknown): string {
  const { meta } = Object(error) as {
    meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } };
  };
  const code = meta?.driverAdapterError?.cause?.originalCode;
  return typeof code === "string" ? code : "";
}

/** Whether the database was reached, and ended a statement that took longer than `statementMs`, or we gave it up. */
export const isStatementTooSlow = (error: unknown): boolean =>
  isCausedByCode(error, QUERY_CANCELED) ||
  isCausedBy(error, ({ message }) => message === "Query read timeout");

/** PgBouncer's message. The connection was refused, so nothing has run on it. */
const isStatementTimeoutRefused = (error: unknown) =>
  isCausedBy(error, ({ message }) => message.includes("unsupported startup parameter: statement_timeout"));

/** pg-pool's message when no connection was free in time. While it opens one, its messages are different. */
const isPoolFull = (error: unknown) =>
  isCausedBy(error, ({ message }) => message.includes("timeout exceeded when trying to connect"));

function poolFull(poolSize: number, cause?: unknown): AppError {
  return new AppError("unavailable", "The service is busy. Try again in a moment.", {
    cause,
    outcome: "pool_full",
    logDetail:
      `The database: all ${poolSize} connections of this process stayed in use. ` +
      "If this lasts, raise POSTGRES_POOL_SIZE or add replicas",
    retryAfterSeconds: 1,
  });
}

function noTurn(places: number, cause?: unknown): AppError {
  return new AppError("unavailable", "The service is busy. Try again in a moment.", {
    cause,
    outcome: "pool_full",
    logDetail:
      `The database: the ${places} connections of this process that may read events and catalogues stayed in use. ` +
      "If this lasts, raise POSTGRES_POOL_SIZE or add replicas",
    retryAfterSeconds: 1,
  });
}

function rolledBack(cause: unknown): AppError {
  return new AppError("unavailable", "The service is busy. Try again in a moment.", {
    cause,
    logDetail: `The database: ${nameAndMessageOf(cause)}`,
    retryAfterSeconds: 1,
  });
}

function databaseUnavailable(cause: unknown): AppError {
  return new AppError("unavailable", "The service cannot reach its database. Try again in a moment.", {
    cause,
    logDetail: `The database: ${nameAndMessageOf(cause)} (run npm run doctor -- --only database to find the cause)`,
    retryAfterSeconds: 5,
  });
}

/** Texts, and texts in lists, as PostgreSQL has them. */
const storable = (values: readonly unknown[]): unknown[] =>
  values.map((value) => {
    if (typeof value === "string") return storableText(value);
    return Array.isArray(value) ? storable(value) : value;
  });
