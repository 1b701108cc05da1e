import {
  hasError,
  ok,
  runCheck,
  runChecks,
  type Verdict,
  warning,
  wrong,
} from "../../embed-element/doctor/report";
import { compareWithDatabase, migrationsFolder, readMigrations } from "../../prisma/migration-history";
import { normalizeOrigin } from "../embed/origin";
import { sqlStateOf } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { codeOf } from "../shared/error-text";
import type { CheckGroup, DoctorContext, LiveClient } from "./context";
import { askTimeAndVersion, askWhetherOpen, runMigrationQuery } from "./database.sql.server";
import { judgeClock } from "./provider-failure";

/** of PostgreSQL; docs/guide/production.md#the-database */
const MIN_VERSION = 14;
/** two weeks before a key expires */
const WARN_BEFORE_MS = 14 * 86_400_000;

/** of one embed client */
const MAX_ISSUES = 5;

const REACHABLE = "database.reachable";

/** The database answers, is migrated, has its clock in sync, and its embed clients are usable. */
export const checkDatabase: CheckGroup = async (context) => {
  const { limits } = context;
  const reached = await runCheck({ name: REACHABLE, run: () => reach(context), explain }, limits);
  if (hasError(reached)) return reached;
  const explainLater = (error: unknown) => (isNoAnswer(error) ? answersSome(error) : explain(error));
  const more = await runChecks(
    [
      { name: "database.schema", run: () => judgeSchema(context), explain: explainLater },
      { name: "database.migrated", run: () => compareMigrations(context), explain: explainLater },
      {
        name: "database.clients",
        run: async () => judgeClients(await context.liveClients()),
        explain: explainLater,
      },
    ],
    limits,
  );
  // A database that has answered one query, and not another, gets one verdict instead of two that contradict each other.
  const isAnsweringAll = more.every(({ check }) => check !== REACHABLE);
  return [...reached.filter(({ check }) => isAnsweringAll || check !== REACHABLE), ...more];
};

/** Whether there was no answer at all: the connection failed, or the time was over. */
function isNoAnswer(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === "TimeoutError";
  return error instanceof AppError && error.code === "unavailable";
}

function answersSome(error: unknown): Verdict {
  return {
    ...wrong(
      `The database answers only some queries (${innermostCode(error) || "no response in time"}).`,
      "Run this again. If it says the same, look at the load and the locks of the database, and at the network to it.",
    ),
    check: REACHABLE,
  };
}

async function reach({ database }: DoctorContext): Promise<Verdict[]> {
  const asked = Date.now();
  const row = await askTimeAndVersion(database);
  const version = Math.floor(Number(row?.version) / 10_000);
  const clock = judgeClock("the database's", (row?.now ?? 0) - (asked + Date.now()) / 2);
  const reachable =
    version >= MIN_VERSION
      ? ok(`The database answers: PostgreSQL ${version}.`)
      : wrong(
          `The database is PostgreSQL ${version}, which is too old.`,
          `Point POSTGRES_URL at PostgreSQL ${MIN_VERSION} or newer.`,
        );
  return [reachable, { ...clock, check: "database.clock" }];
}

/**
 * Whether others can create functions that our statements might use. Until version 15, PostgreSQL lets everybody who can connect create in
 * `public`.
 */
async function judgeSchema({ database }: DoctorContext): Promise<Verdict> {
  const row = await askWhetherOpen(database);
  if (row?.isOpen !== true) return ok("Only those who were granted it may create in the database.");
  return warning(
    "Every login of this PostgreSQL may connect to the database and create functions in it, which could run as this service's user.",
    `Run there: REVOKE ALL ON DATABASE "${row.name}" FROM PUBLIC; REVOKE CREATE ON SCHEMA public FROM PUBLIC;`,
  );
}

/** Compares Prisma's own record of what was applied with the folder of migrations. */
async function compareMigrations({ database }: DoctorContext): Promise<Verdict> {
  const migrations = await readMigrations(migrationsFolder);
  const { failed, pending, unknown, edited } = await compareWithDatabase(
    migrations,
    runMigrationQuery(database),
  );
  if (failed.length > 0) {
    return wrong(
      `The migration ${failed[0]} failed half way.`,
      `Fix its cause, then: npm run migrate -- --retry ${failed[0]}`,
    );
  }
  if (pending.length > 0) {
    return wrong(
      `${pending.length} of ${migrations.length} migrations have not been applied: ${pending.join(", ")}.`,
      "Run npm run migrate with this POSTGRES_URL.",
    );
  }
  if (unknown.length > 0) {
    return warning(
      `The database has a migration that this checkout does not: ${unknown[0]}.`,
      "The database is newer than this version of the service: finish the deployment, or run the newer version.",
    );
  }
  if (edited.length > 0) {
    return warning(
      `The migration ${edited[0]} was edited after it had been applied.`,
      "Restore prisma/migrations from version control: npm run migrate -- --status shows every difference.",
    );
  }
  return ok("All migrations have been applied.");
}

function judgeClients(clients: readonly LiveClient[]): Verdict[] {
  if (clients.length === 0) {
    return [
      warning(
        "There is no live embed client: nobody can embed anything.",
        "Make one: npm run client -- create.",
      ),
    ];
  }
  const findings = clients.flatMap(({ id, expiresAt, allowedOrigins, buckets, usesFiles, issues }) => {
    const invalid = allowedOrigins.filter((origin) => normalizeOrigin(origin) === null).length;
    return [
      ...judgeExpiry(id, expiresAt),
      ...(invalid > 0
        ? [
            warning(
              `The embed client ${id} has ${invalid} invalid origins among its ${allowedOrigins.length} allowed ones; they allow nothing.`,
              "Correct allowed_origins of that row in embed_clients: entries like https://app.example.com.",
            ),
          ]
        : []),
      ...issues
        .slice(0, MAX_ISSUES)
        .map(({ path, message }) =>
          warning(
            `A setting of the embed client ${id} is wrong: ${path} ${message}.`,
            "Correct allowed_services or allowed_scopes of that row in embed_clients.",
          ),
        ),
      ...(usesFiles && buckets === null
        ? [
            warning(
              `The embed client ${id} has no valid policy for files: it can open nothing.`,
              'Correct allowed_scopes of that row in embed_clients: { "files": { "buckets": ["NAME"] } }.',
            ),
          ]
        : []),
    ];
  });
  return findings.length > 0 ? findings : [ok(`Live embed clients: ${clients.length}.`)];
}

function judgeExpiry(id: string, expiresAt: Date | null): Verdict[] {
  const left = (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
  if (left > WARN_BEFORE_MS) return [];
  const when = expiresAt?.toISOString();
  return [
    warning(
      left > 0
        ? `The key of the embed client ${id} expires at ${when}.`
        : `The key of the embed client ${id} expired at ${when}.`,
      `Make another (npm run client -- create), or extend it: npm run client -- change ${id} --expires 90d. If nobody needs it, revoke it.`,
    ),
  ];
}

/** The code of the innermost cause: PostgreSQL's SQLSTATE, or Node's code of a connection. */
function innermostCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return innermostCode(error.cause) || sqlStateOf(error) || (error instanceof AppError ? "" : codeOf(error));
}

/** By PostgreSQL's SQLSTATE or Node's code. The error's text is never shown: it may quote the URL. */
function explain(error: unknown): Verdict {
  const code = innermostCode(error);
  switch (code) {
    case "28P01":
    case "28000":
      return wrong(
        `The database refuses the user or password (${code}).`,
        "Correct user and password in POSTGRES_URL, or allow the user in pg_hba.conf.",
      );
    case "3D000":
      return wrong(
        "The server has no database of that name (3D000).",
        "Create it, or correct the name at the end of POSTGRES_URL.",
      );
    case "42P01":
    case "42703":
    case "P2021":
    case "P2022":
      return {
        ...wrong(`A table or column is missing (${code}).`, "Run npm run migrate with this POSTGRES_URL."),
        check: "database.migrated",
      };
    case "42501":
      return wrong(
        "The database user may not read the tables (42501).",
        "Grant SELECT, INSERT, UPDATE and DELETE on them to the user in POSTGRES_URL.",
      );
    case "53300":
      return wrong(
        "The database has no free connection (53300).",
        "Lower POSTGRES_POOL_SIZE (it counts per process), or raise max_connections.",
      );
  }
  if (!isNoAnswer(error))
    return wrong(
      `A query of the doctor failed (${code || (error instanceof Error ? error.name : "unknown")}).`,
      "Look at the log of PostgreSQL, and check that this version of the service fits its database.",
    );
  return wrong(
    `The database cannot be reached (${code || "no response in time"}).`,
    "Check host and port in POSTGRES_URL, that PostgreSQL runs there, and the firewall between here and there.",
  );
}
