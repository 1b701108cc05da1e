import {
  DatabaseResumingException,
  ExecuteStatementCommand,
  type Field,
  RDSDataClient,
  RDSDataServiceException,
  type SqlParameter,
} from "@aws-sdk/client-rds-data";
import { LRUCache } from "lru-cache";
import type { ClusterRefs, Env } from "../env/env.server";
import { AppError } from "../shared/app-error";
import { nameAndMessageOf } from "../shared/error-text";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import { retry } from "../shared/retry";
import { observeCall } from "../telemetry/observe.server";
import { credentialsFor } from "./cloud-credentials.server";
import { asName, EQUALS, openToPublic, pinned, quoteIdentifier } from "./cluster-sql";
import { isSessionOver, wasNeverSent } from "./connection-errors";
import { DEADLOCK, UNIQUE_VIOLATION } from "./database.server";

/** A database cluster. */
export interface Cluster extends ClusterRefs {
  region: string;
  /** the database that statements about databases are run in */
  defaultDatabase: string;
  limits: Env["clusters"]["limits"];
  /** where clients connect to it, if that is configured */
  address?: { host: string; port: number } | undefined;
}

/** What the cluster says of one of its databases, from outside of it. */
export interface DatabaseState {
  /** everybody who has a role in the cluster may connect */
  isOpenToPublic: boolean;
  /** -1: no limit */
  maxConnections: number;
  /** in PostgreSQL's notation; null: no limit of its own */
  temporaryFileLimit: string | null;
  /** the owner role exists, and may create in the database */
  isGrantedToOwner: boolean;
}

/**
 * The result of `CREATE DATABASE`. `exists`: the cluster has a database of that name. `refused`: it was not created. `unknown`: no
 * response says so, and it may still be created.
 */
type CreateOutcome =
  | { outcome: "created" }
  | { outcome: "exists" }
  | { outcome: "refused" | "unknown"; error: AppError };

export type DataApi = ReturnType<typeof createDataApi>;

/** How long a call waits for a paused cluster. */
const MAX_RESUME_MS = 45_000;
/** The time limit of queries. */
const QUERY_TIMEOUT_MS = 15_000;
/** How often a statement about rights is repeated that collided with another one. */
const MAX_CONFLICT_RETRIES = 5;
/** How long a statement about rights waits for a lock that a session keeps. Shorter than `QUERY_TIMEOUT_MS`, so that none is left waiting. */
const LOCK_TIMEOUT_SECONDS = 10;
/** SQLSTATE. PostgreSQL, "PostgreSQL Error Codes" */
const LOCK_NOT_AVAILABLE = "55P03";
/** More than there are regions: callers name them, and may name some that do not exist. */
const MAX_CACHED_CLIENTS = 100;

interface RunOptions {
  /** the database to run them in; the cluster's default database if undefined */
  database?: string | undefined;
  /** the SQLSTATEs that mean that there is nothing to do */
  unless?: string | readonly string[] | undefined;
  /** until the error 55P03, if a session keeps a lock that they need */
  lockTimeoutSeconds?: number | undefined;
}

interface Statement {
  /** the database to run it in; the cluster's default database if undefined */
  database?: string | undefined;
  sql: string;
  parameters?: SqlParameter[];
  continueAfterTimeout?: boolean;
}

/** The settings of a database and of a login in it are rows of `pg_db_role_setting`; those of the database have the role 0. */
const DESCRIBE_DATABASE = `SELECT ${openToPublic("d")}, d.datconnlimit,
    (SELECT o.option_value FROM pg_catalog.pg_db_role_setting AS s, pg_catalog.pg_options_to_table(s.setconfig) AS o
      WHERE s.setdatabase ${EQUALS} d.oid AND s.setrole ${EQUALS} CAST(0 AS pg_catalog.oid)
        AND o.option_name ${EQUALS} CAST('temp_file_limit' AS pg_catalog.text)),
    pg_catalog.has_database_privilege(r.oid, d.oid, CAST('CREATE' AS pg_catalog.text))
  FROM pg_catalog.pg_database AS d LEFT JOIN pg_catalog.pg_roles AS r ON r.rolname ${EQUALS} ${asName("owner")}
  WHERE d.datname ${EQUALS} ${asName("name")}`;

/**
 * The sessions that are opening the database. Each one locks its database until it has read its settings. `pg_stat_activity` has no user of
 * it until then, and before version 18 no row.
 */
const FIND_OPENING_SESSIONS = `SELECT DISTINCT l.pid FROM pg_catalog.pg_database AS d, pg_catalog.pg_locks AS l
  WHERE d.datname ${EQUALS} ${asName("name")} AND l.classid ${EQUALS} d.tableoid AND l.objid ${EQUALS} d.oid
    AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity AS a WHERE a.pid ${EQUALS} l.pid AND a.usesysid IS NOT NULL)`;

/**
 * The RDS Data API.
 * @param resumeMs how long a call waits for a paused cluster, milliseconds
 */
export function createDataApi(settings: Env["dataApi"], resumeMs = MAX_RESUME_MS) {
  const createMs = settings.timeoutSeconds * 1000;
  const credentials = credentialsFor(settings.credentials);
  const clients = new LRUCache<string, RDSDataClient>({
    max: MAX_CACHED_CLIENTS,
    memoMethod: (region) => createDataApiClient(settings, region),
  });

  /** Retries while a paused cluster resumes: it has not run the statement. */
  async function execute(
    cluster: Cluster,
    statement: Statement,
    limitMs: number,
    context: CallContext | undefined,
  ): Promise<Field[][]> {
    const command = toCommand(cluster, statement);
    const deadline = performance.now() + timeLeft(resumeMs, context);
    const send = async () => {
      // Before the time limit begins: after an abort, it would be unknown whether the statement was sent.
      await credentials();
      const abortSignal = AbortSignal.timeout(timeLeft(limitMs, context));
      return (await clients.memo(cluster.region).send(command, { abortSignal })).records ?? [];
    };
    return retry(send, {
      firstPauseMs: 500,
      maxPauseMs: 5_000,
      deadline,
      shouldRetry: (error) => error instanceof DatabaseResumingException,
    });
  }

  const query = (cluster: Cluster, statement: Statement, context?: CallContext) =>
    observeCall("data_api", "query", () =>
      execute(cluster, statement, QUERY_TIMEOUT_MS, context).catch(throwAppError),
    );

  return {
    /** @throws AppError `provider_failed`, `unavailable` */
    async databaseExists(cluster: Cluster, name: string, context?: CallContext): Promise<boolean> {
      const statement = {
        sql: `SELECT 1 FROM pg_catalog.pg_database AS d WHERE d.datname ${EQUALS} ${asName("name")}`,
        parameters: [textParameter("name", name)],
      };
      const rows = await query(cluster, statement, context);
      return rows.length > 0;
    },

    /**
     * @param options `owner`: the role that owns what is made in the database
     * @returns null if there is no such database
     * @throws AppError as `databaseExists`
     */
    async describeDatabase(
      cluster: Cluster,
      { name, owner = "" }: { name: string; owner?: string | undefined },
      context?: CallContext,
    ): Promise<DatabaseState | null> {
      const statement = {
        sql: DESCRIBE_DATABASE,
        parameters: [textParameter("name", name), textParameter("owner", owner)],
      };
      const [row] = await query(cluster, statement, context);
      if (row === undefined) return null;
      const [open, connections, temporaryFiles, granted] = row;
      return {
        isOpenToPublic: open?.booleanValue !== false,
        maxConnections: connections?.longValue ?? -1,
        temporaryFileLimit: temporaryFiles?.stringValue ?? null,
        isGrantedToOwner: granted?.booleanValue === true,
      };
    },

    /** The process ids of sessions that are being opened, of any user. @throws AppError as `databaseExists` */
    async findOpeningSessions(cluster: Cluster, database: string, context?: CallContext): Promise<number[]> {
      const statement = { sql: FIND_OPENING_SESSIONS, parameters: [textParameter("name", database)] };
      const rows = await query(cluster, statement, context);
      return rows.flatMap(([pid]) => pid?.longValue ?? []);
    },

    /**
     * Runs `CREATE DATABASE` once, without retries. Nobody can connect to the new database yet. It is a copy of `template0`: other roles can
     * connect to `template1`, and nothing can be copied while somebody is connected. Errors are in the result; nothing is thrown.
     */
    async createDatabase(cluster: Cluster, name: string, context?: CallContext): Promise<CreateOutcome> {
      const statement = {
        sql: `CREATE DATABASE ${quoteIdentifier(name)} TEMPLATE template0 ALLOW_CONNECTIONS false`,
        // The Data API's reference advises this for DDL: an interrupted statement can leave damage.
        continueAfterTimeout: true,
      };
      try {
        await observeCall("data_api", "create_database", () =>
          execute(cluster, statement, createMs, context),
        );
        return { outcome: "created" };
      } catch (error) {
        if (isDuplicate(error)) return { outcome: "exists" };
        return { outcome: wasNotRun(error) ? "refused" : "unknown", error: toAppError(error) };
      }
    },

    /**
     * Drops a database with all its contents, and ends the sessions in it. It does nothing if there is no such database.
     * @throws AppError as `databaseExists`
     */
    async dropDatabase(cluster: Cluster, name: string, context?: CallContext): Promise<void> {
      const sql = `DROP DATABASE IF EXISTS ${quoteIdentifier(name)} WITH (FORCE)`;
      // As in `createDatabase`.
      const statement = { sql, continueAfterTimeout: true };
      await observeCall("data_api", "drop_database", () =>
        execute(cluster, statement, createMs, context).catch(throwAppError),
      );
    },

    /**
     * Changes roles and rights. It is repeated if another statement has changed the same role or right at the same time.
     * @param statements in PL/pgSQL, run in one transaction in which no name means anything that customers have made (`pinned`)
     * @throws AppError as `databaseExists`
     */
    async run(
      cluster: Cluster,
      statements: string,
      { database, unless = [], lockTimeoutSeconds = LOCK_TIMEOUT_SECONDS }: RunOptions = {},
      context?: CallContext,
    ): Promise<void> {
      const sql = pinned(statements, lockTimeoutSeconds);
      const statement = { sql, ...(database !== undefined && { database }) };
      const change = () => execute(cluster, statement, QUERY_TIMEOUT_MS, context);
      await observeCall("data_api", "change_roles", () =>
        retry(change, {
          firstPauseMs: 50,
          maxPauseMs: 500,
          retries: MAX_CONFLICT_RETRIES,
          shouldRetry: isConcurrentChange,
        }).catch((error: unknown) => {
          if (![unless].flat().some((state) => hasState(error, state))) throw toAppError(error);
        }),
      );
    },

    /** Bytes on disk of each database that the cluster has. @throws AppError as `databaseExists` */
    async measureDatabases(cluster: Cluster, names: readonly string[]): Promise<Map<string, number>> {
      if (names.length === 0) return new Map();
      const isOne = names.map((_, index) => `d.datname ${EQUALS} ${asName(`name${index}`)}`).join(" OR ");
      const rows = await query(cluster, {
        // The Data API does not return PostgreSQL's type `name`.
        sql: `SELECT CAST(d.datname AS pg_catalog.text), pg_catalog.pg_database_size(d.oid) FROM pg_catalog.pg_database AS d WHERE ${isOne}`,
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

/** What a cluster's user may do, who may connect to the databases that are nobody's, and what all databases share. */
export interface ClusterState {
  isSuperuser: boolean;
  createsDatabases: boolean;
  createsRoles: boolean;
  isDefaultOpenToPublic: boolean;
  /** `template1` */
  isTemplateOpenToPublic: boolean;
  /** how many there are, without templates */
  databases: number;
  /** how many locks PostgreSQL promises to have room for; PostgreSQL, "Lock Management" */
  maxLocks: number;
  maxPreparedTransactions: number;
  /** how many transactions have begun since the oldest one that is not cleaned up; PostgreSQL, "Preventing Transaction ID Wraparound Failures" */
  transactionAge: number;
}

const setting = (name: string) =>
  `CAST(pg_catalog.current_setting(CAST('${name}' AS pg_catalog.text)) AS pg_catalog.int8)`;

const DESCRIBE_CLUSTER = `SELECT r.rolsuper, r.rolcreatedb, r.rolcreaterole, ${openToPublic("d")},
    (SELECT one.datallowconn AND ${openToPublic("one")} FROM pg_catalog.pg_database AS one WHERE one.datname ${EQUALS} CAST('template1' AS pg_catalog.name)),
    (SELECT pg_catalog.count(*) FROM pg_catalog.pg_database AS one WHERE NOT one.datistemplate),
    ${setting("max_locks_per_transaction")}, ${setting("max_connections")}, ${setting("max_prepared_transactions")},
    (SELECT pg_catalog.max(pg_catalog.age(one.datfrozenxid)) FROM pg_catalog.pg_database AS one)
  FROM pg_catalog.pg_roles AS r, pg_catalog.pg_database AS d
  WHERE r.rolname ${EQUALS} current_user AND d.datname ${EQUALS} pg_catalog.current_database()`;

/** Asks a cluster by one query of the catalogue, without retries. Throws what the SDK throws. */
export async function describeCluster(
  settings: Env["dataApi"],
  cluster: Cluster,
  abortSignal: AbortSignal,
): Promise<ClusterState> {
  const client = createDataApiClient(settings, cluster.region);
  try {
    const { records } = await client.send(toCommand(cluster, { sql: DESCRIBE_CLUSTER }), { abortSignal });
    const row = records?.[0] ?? [];
    const [
      isSuperuser = false,
      createsDatabases = false,
      createsRoles = false,
      isDefaultOpenToPublic = false,
      isTemplateOpenToPublic = false,
    ] = row.map(({ booleanValue }) => booleanValue);
    const [databases = 0, locks = 0, connections = 0, preparedTransactions = 0, transactionAge = 0] = row
      .slice(5)
      .map(({ longValue }) => longValue ?? 0);
    return {
      isSuperuser,
      createsDatabases: isSuperuser || createsDatabases,
      createsRoles: isSuperuser || createsRoles,
      isDefaultOpenToPublic,
      isTemplateOpenToPublic,
      databases,
      maxLocks: locks * (connections + preparedTransactions),
      maxPreparedTransactions: preparedTransactions,
      transactionAge,
    };
  } finally {
    client.destroy();
  }
}

/** A client for one region. */
function createDataApiClient(settings: Env["dataApi"], region: string): RDSDataClient {
  return new RDSDataClient({
    region,
    credentials: credentialsFor(settings.credentials),
    endpoint: settings.endpoint,
    // A second CREATE DATABASE would find the database of the first and take it for another caller's.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: settings.timeoutSeconds * 1000,
      throwOnRequestTimeout: true,
      // The other side may close a kept connection at the moment of its next use, and then it is unknown whether the statement was run.
      httpAgent: { keepAlive: false },
      httpsAgent: { keepAlive: false },
    },
  });
}

function toCommand(cluster: Cluster, statement: Statement): ExecuteStatementCommand {
  return new ExecuteStatementCommand({
    resourceArn: cluster.clusterRef,
    secretArn: cluster.secretRef,
    database: cluster.defaultDatabase,
    ...statement,
  });
}

function textParameter(name: string, value: string): SqlParameter {
  return { name, value: { stringValue: value } };
}

/** Temporary errors that occur before the statement is run: the Data API is overloaded, or its cluster is paused. */
const BEFORE_RUNNING = ["DatabaseResumingException", "ThrottlingException", "TooManyRequestsException"];
/** Temporary errors after which it is unknown whether the statement was run. */
const TEMPORARY = [
  "DatabaseUnavailableException",
  "InternalServerErrorException",
  "ServiceUnavailableError",
  "StatementTimeoutException",
];
/** The message of clusters of the first generation that are paused, or whose connection broke. */
const LINK_FAILURE = /communications link failure/i;
/**
 * SQLSTATE 42P04, or a violation of the catalogue's unique index when two statements create the same database at once. The Data API puts
 * the state at the end of its message; clusters of the first generation have the sentence only.
 */
const DUPLICATE =
  /SQLState: 42P04|database ".*" already exists|unique constraint "pg_database_datname_index"/;

/** Whether the database to create exists already. */
function isDuplicate(error: unknown): boolean {
  return error instanceof RDSDataServiceException && DUPLICATE.test(error.message);
}

/** Whether PostgreSQL refused the statement with this SQLSTATE, which the Data API puts at the end of its message. */
function hasState(error: unknown, state: string): boolean {
  return error instanceof RDSDataServiceException && error.message.endsWith(`SQLState: ${state}`);
}

/** With XX000, which PostgreSQL has for all its unexpected errors. */
const CHANGED_MEANWHILE = /tuple concurrently |could not find tuple for |cache lookup failed for /;

/**
 * Whether another statement has changed the same entries of the catalogue at the same time. PostgreSQL has no SQLSTATE of its own for it: two
 * equal grants collide in a unique index, and of two changes of one row, one fails.
 */
const isConcurrentChange = (error: unknown): boolean =>
  hasState(error, UNIQUE_VIOLATION) ||
  hasState(error, DEADLOCK) ||
  (error instanceof RDSDataServiceException && CHANGED_MEANWHILE.test(error.message));

/** Whether a statement that failed with this error is known to have changed nothing. */
function wasNotRun(error: unknown): boolean {
  if (error instanceof RDSDataServiceException) {
    return isBeforeRunning(error) || !isTemporary(error);
  }
  return wasNeverSent(error);
}

const isBeforeRunning = (error: RDSDataServiceException): boolean =>
  isSessionOver(error) || BEFORE_RUNNING.includes(error.name);

function isTemporary(error: RDSDataServiceException): boolean {
  const isServerFault = (error.$metadata.httpStatusCode ?? 500) >= 500;
  const isNamed = isBeforeRunning(error) || TEMPORARY.includes(error.name);
  return isNamed || isServerFault || LINK_FAILURE.test(error.message);
}

function throwAppError(error: unknown): never {
  throw toAppError(error);
}

/** The error for callers. It never contains the cluster's message, which may name other customers' objects. */
function toAppError(error: unknown): AppError {
  const logDetail = `The Data API: ${nameAndMessageOf(error)} (run npm run doctor -- --only clusters to find the cause)`;
  const details = { cause: error, logDetail };
  if (hasState(error, LOCK_NOT_AVAILABLE) || isConcurrentChange(error))
    return new AppError("unavailable", "The database is busy with another change. Try again in a moment.", {
      ...details,
      retryAfterSeconds: 5,
    });
  if (error instanceof RDSDataServiceException && !isTemporary(error)) {
    return new AppError("provider_failed", "The database cluster refused the request.", details);
  }
  return new AppError("unavailable", "The database cluster cannot be reached. Try again in a moment.", {
    ...details,
    retryAfterSeconds: error instanceof DatabaseResumingException ? 15 : 5,
  });
}
