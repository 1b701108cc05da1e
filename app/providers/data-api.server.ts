import { setTimeout as sleep } from "node:timers/promises";
import {
  DatabaseResumingException,
  ExecuteStatementCommand,
  type Field,
  RDSDataClient,
  RDSDataServiceException,
  type SqlParameter,
} from "@aws-sdk/client-rds-data";
import { AppError } from "../app-error";
import type { ClusterRefs, Env } from "../env.server";
import { type CallContext, timeLeft } from "../request-context.server";
import { observeCall } from "../telemetry/observe.server";

/** A cluster, and where statements are run in it. */
export interface Cluster extends ClusterRefs {
  region: string;
  /** the database in which statements about databases are run */
  defaultDatabase: string;
}

/**
 * How `CREATE DATABASE` ended. `exists`: the cluster has one of that name. `refused`: it was certainly not created.
 * `unknown`: no answer came that says, and it may still be created.
 */
export type CreateOutcome =
  | { outcome: "created" }
  | { outcome: "exists" }
  | { outcome: "refused" | "unknown"; error: AppError };

export interface DataApi {
  /** @throws AppError `provider_failed`, `unavailable` */
  databaseExists(cluster: Cluster, name: string, request?: CallContext): Promise<boolean>;
  /** Runs `CREATE DATABASE` once, and never again by itself. What went wrong is in the answer; throws nothing. */
  createDatabase(cluster: Cluster, name: string, request?: CallContext): Promise<CreateOutcome>;
  /** Bytes on disk of each database that the cluster has. @throws AppError as `databaseExists` */
  measureDatabases(cluster: Cluster, names: readonly string[]): Promise<Map<string, number>>;
}

/** Decisions, section 9: so long is a paused cluster waited for, milliseconds. */
const RESUME_MS = 45_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** How long a statement that only looks may take, milliseconds. */
const QUERY_MS = 15_000;
/** More than there are regions; callers name them, and may name what is none. */
const MAX_CLIENTS = 100;

/**
 * The RDS Data API, with a client for each region.
 * @param resumeMs how long a cluster that is waking up is waited for, milliseconds
 */
export function createDataApi(settings: Env["dataApi"], resumeMs = RESUME_MS): DataApi {
  const clients = new Map<string, RDSDataClient>();

  function clientOf(region: string): RDSDataClient {
    const known = clients.get(region);
    if (known !== undefined) return known;
    const client = new RDSDataClient({
      region,
      credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
      endpoint: settings.endpoint,
      // A statement sent twice would find its own database and take it for somebody else's.
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: 3_000,
        requestTimeout: settings.timeoutSeconds * 1000,
        throwOnRequestTimeout: true,
        // Statements are few. A connection kept open may be closed by the other side just when it is used again, and then
        // nobody can tell whether the statement was run.
        httpAgent: { keepAlive: false },
        httpsAgent: { keepAlive: false },
      },
    });
    if (clients.size >= MAX_CLIENTS) clients.clear();
    clients.set(region, client);
    return client;
  }

  /** A paused cluster runs nothing and starts to wake up: the same statement can be sent again. */
  async function execute(
    cluster: Cluster,
    statement: Statement,
    limitMs: number,
    request: CallContext | undefined,
  ): Promise<Field[][]> {
    const command = new ExecuteStatementCommand({
      resourceArn: cluster.clusterRef,
      secretArn: cluster.secretRef,
      database: cluster.defaultDatabase,
      ...statement,
    });
    const deadline = performance.now() + timeLeft(resumeMs, request);
    for (let longest = FIRST_PAUSE_MS; ; longest = Math.min(longest * 2, LONGEST_PAUSE_MS)) {
      const pause = longest * (0.5 + Math.random() / 2);
      try {
        const abortSignal = AbortSignal.timeout(timeLeft(limitMs, request));
        return (await clientOf(cluster.region).send(command, { abortSignal })).records ?? [];
      } catch (error) {
        const isPatient = error instanceof DatabaseResumingException && performance.now() + pause < deadline;
        if (!isPatient) throw error;
        await sleep(pause);
      }
    }
  }

  const query = (cluster: Cluster, statement: Statement, request?: CallContext) =>
    observeCall("data_api", "query", () =>
      execute(cluster, statement, QUERY_MS, request).catch((error: unknown) => {
        throw toAppError(error);
      }),
    );

  return {
    async databaseExists(cluster, name, request) {
      const statement = {
        sql: "SELECT 1 FROM pg_database WHERE datname = :name",
        parameters: [textParameter("name", name)],
      };
      const rows = await query(cluster, statement, request);
      return rows.length > 0;
    },

    async createDatabase(cluster, name, request) {
      try {
        const statement = {
          sql: `CREATE DATABASE ${quoteIdentifier(name)}`,
          // Advised for DDL by the Data API's reference: a statement cut off half way can leave damage.
          continueAfterTimeout: true,
        };
        await observeCall("data_api", "create_database", () =>
          execute(cluster, statement, settings.timeoutSeconds * 1000, request),
        );
        return { outcome: "created" };
      } catch (error) {
        if (isDuplicate(error)) return { outcome: "exists" };
        return { outcome: wasNotRun(error) ? "refused" : "unknown", error: toAppError(error) };
      }
    },

    async measureDatabases(cluster, names) {
      if (names.length === 0) return new Map();
      const places = names.map((_, index) => `:name${index}`).join(", ");
      const rows = await query(cluster, {
        // The Data API answers with SQL's own types, and `name` is none of them.
        sql: `SELECT CAST(datname AS text), pg_database_size(oid) FROM pg_database WHERE datname IN (${places})`,
        parameters: names.map((name, index) => textParameter(`name${index}`, name)),
      });
      return new Map(
        rows.flatMap(([name, bytes]) =>
          name?.stringValue === undefined || bytes?.longValue === undefined
            ? []
            : [[name.stringValue, bytes.longValue] as const],
        ),
      );
    },
  };
}

interface Statement {
  sql: string;
  parameters?: SqlParameter[];
  continueAfterTimeout?: boolean;
}

function textParameter(name: string, value: string): SqlParameter {
  return { name, value: { stringValue: value } };
}

/** A name as SQL writes one, whatever is in it. PostgreSQL, "Identifiers and Key Words". */
function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * SQLSTATE 42P04, or what a `CREATE DATABASE` meets that waited for another one of that name: the catalogue's unique index.
 * The Data API gives the state at the end of its message; clusters of the first generation give the sentence only.
 */
function isDuplicate(error: unknown): boolean {
  return (
    error instanceof RDSDataServiceException &&
    /SQLState: 42P04|database ".*" already exists|unique constraint "pg_database_datname_index"/.test(
      error.message,
    )
  );
}

/** What a client of the Data API is told when it or its cluster is overloaded, asleep or away for a moment. */
const passing = new Set([
  "DatabaseResumingException",
  "DatabaseUnavailableException",
  "InternalServerErrorException",
  "ServiceUnavailableError",
  "StatementTimeoutException",
  "ThrottlingException",
  "TooManyRequestsException",
]);
/** Of those, the ones that come before a statement is run. */
const beforeRunning = new Set([
  "DatabaseResumingException",
  "ThrottlingException",
  "TooManyRequestsException",
]);
/** The server was never reached. */
const unreached = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/** How clusters of the first generation say that they sleep, or that the connection broke. */
const LINK_FAILURE = /communications link failure/i;

/** Whether a statement that failed so certainly changed nothing. */
function wasNotRun(error: unknown): boolean {
  if (error instanceof RDSDataServiceException) {
    return beforeRunning.has(error.name) || !isPassing(error);
  }
  return error instanceof Error && "code" in error && unreached.has(String(error.code));
}

function isPassing(error: RDSDataServiceException): boolean {
  const isServerFault = (error.$metadata.httpStatusCode ?? 500) >= 500;
  return passing.has(error.name) || isServerFault || LINK_FAILURE.test(error.message);
}

/** What the caller is told: never the cluster's own message, which may name what is not theirs. */
function toAppError(error: unknown): AppError {
  const details = {
    cause: error,
    logDetail: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  };
  if (error instanceof RDSDataServiceException && !isPassing(error)) {
    return new AppError("provider_failed", "The database cluster refused the request.", details);
  }
  return new AppError("unavailable", "The database cluster cannot be reached. Try again in a moment.", {
    ...details,
    retryAfterSeconds: error instanceof DatabaseResumingException ? 15 : 5,
  });
}
