/** Credentials of a database: logins that reach this database and no other. docs/decisions/0124 */
import { z } from "zod";
import type { ClientResource } from "../../../prisma/generated/client";
import type { Env } from "../../env/env.server";
import type { Database } from "../../providers/database.server";
import type { DataApi } from "../../providers/rds-data-api.server";
import { AppError, hasCode } from "../../shared/app-error";
import { messageOf } from "../../shared/error-text";
import { logError } from "../../shared/log.server";
import type { CallContext } from "../../shared/request-context.server";
import { shortText } from "../../shared/short-text";
import { isDropped } from "../databases.sql.server";
import { findDatabaseRecord } from "../find-databases.server";
import { findClusterOf } from "../region";
import {
  createLogin,
  dropLogin,
  dropRoles,
  endLogin,
  expireLogin,
  IDLE_TRANSACTION_SECONDS,
  prepareDatabase,
  type RoleTarget,
  roleTargetOf,
} from "./database-roles.server";
import { type KeyedCredential, recordLogin } from "./record-login.server";
import { scramVerifier } from "./scram-verifier.server";

/** milliseconds: a paused cluster wakes first */
export const CREDENTIAL_TIMEOUT_MS = 75_000;
/** How long the old password works beside the new one, milliseconds. */
export const ROTATION_MS = 3600_000;

export const newCredentialSchema = z.strictObject({
  name: shortText(200).optional().describe("what it is for, in the list"),
});

export const issuedCredentialSchema = z.object({
  user: z.string(),
  password: z.string().describe("shown only now"),
  host: z.string().nullable().describe("null if CLUSTER_HOST_<REGION> is not set"),
  port: z.int().nullable(),
  database: z.string(),
  url: z.string().nullable().describe("all of it, for psql and drivers"),
  limits: z
    .object({
      connections: z.int().describe("of this login, and of all logins of the database together"),
      idleTransactionSeconds: z
        .int()
        .describe("when an idle transaction ends, unless a session sets another value"),
      temporaryFileGb: z
        .int()
        .nullable()
        .describe("of each session; null if the cluster does not let it be limited"),
    })
    .describe("what the database may take of its cluster"),
});

export const credentialSchema = z.object({
  user: z.string(),
  name: z.string().nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable().describe("when it was replaced or removed: until then it works"),
});

interface Tools {
  database: Database;
  dataApi: Pick<DataApi, "run" | "describeDatabase" | "findOpeningSessions">;
  clusters: Env["clusters"];
  context?: CallContext;
  /** if the request has an `Idempotency-Key` */
  keyed?: KeyedCredential | undefined;
}

/**
 * Makes a login for a database.
 * @throws AppError `resource_not_found`, `database_not_active`, those of `recordLogin`, and those of the cluster
 */
export async function createCredential(
  resourceId: string,
  { name }: z.output<typeof newCredentialSchema>,
  tools: Tools,
): Promise<z.output<typeof issuedCredentialSchema>> {
  const found = await findTarget(resourceId, tools);
  return issue(found, { name: name ?? null }, tools);
}

/** All logins of a database, newest first. @throws AppError `resource_not_found` */
export async function listCredentials(
  resourceId: string,
  { database }: Pick<Tools, "database">,
): Promise<{ credentials: z.output<typeof credentialSchema>[] }> {
  await findDatabaseRecord(database, resourceId);
  const rows = await database.databaseCredential.findMany({
    where: { resourceId },
    orderBy: [{ createdAt: "desc" }, { user: "desc" }],
  });
  return {
    credentials: rows.map(({ user, name, createdAt, expiresAt }) => ({
      user,
      name,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
    })),
  };
}

/**
 * Replaces a login by a new one. The old one works for another hour: PostgreSQL keeps one password for each user.
 * @throws AppError as `createCredential`; `resource_not_found` for an unknown user, too
 */
export async function rotateCredential(
  resourceId: string,
  user: string,
  tools: Tools,
): Promise<z.output<typeof issuedCredentialSchema>> {
  const found = await findTarget(resourceId, tools);
  const { name, expiresAt } = await findCredential(resourceId, user, tools);
  const issued = await issue(found, { name, replaces: user }, tools);
  if (expiresAt === null) {
    const at = new Date(Date.now() + ROTATION_MS);
    // Unless another request has replaced or removed it meanwhile: then it ends when that one says.
    await tools.database.databaseCredential.updateMany({
      where: { user, resourceId, expiresAt: null },
      data: { expiresAt: at },
    });
    // A session of the login can hold this up for ever. Cleanup ends its sessions when the hour is over.
    await expireLogin(found.target, { user, at }, tools).catch((thrown: unknown) =>
      logError("A replaced login opens sessions until npm run cleanup removes it.", { thrown }),
    );
  }
  return issued;
}

/**
 * Ends the login's sessions and removes it, also while its database is suspended or deleted.
 * @returns `isDone`: false if other sessions of the database keep it from being removed. It can no longer connect, and
 *   `removeExpiredCredentials` tries again. `isRemoved`: whether this call has removed it, and not another one at the same time.
 * @throws AppError as `rotateCredential`
 */
export async function removeCredential(
  resourceId: string,
  user: string,
  tools: Tools,
): Promise<{ user: string; isDone: boolean; isRemoved: boolean }> {
  const record = await findDatabaseRecord(tools.database, resourceId);
  const target = (await doLoginsWork(resourceId, tools)) ? targetOf(record, tools.clusters) : null;
  if (target === null) throw notActive();
  await findCredential(resourceId, user, tools);
  await endLogin(target, user, tools);
  const drop = () => dropLogin(target, user, tools);
  try {
    await drop().catch((error: unknown) => {
      if (!hasCode(error, "provider_failed")) throw error;
      // While another request drops the same role, PostgreSQL also says that one may not drop it. Then it is gone by the second time.
      return drop();
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { count } = await tools.database.databaseCredential.updateMany({
      where: { user, resourceId },
      data: { expiresAt: new Date() },
    });
    // Another request has removed it meanwhile, or the database was dropped with its logins.
    if (count === 0) return { user, isDone: true, isRemoved: false };
    logError("A login was ended, and npm run cleanup has to remove it.", { thrown: error });
    return { user, isDone: false, isRemoved: false };
  }
  const { count } = await tools.database.databaseCredential.deleteMany({ where: { user, resourceId } });
  return { user, isDone: true, isRemoved: count > 0 };
}

interface RemovedCredentials {
  removed: number;
  failures: { user: string; reason: string }[];
}

/**
 * Removes the logins whose hour after the rotation is over. Those of a database that is being dropped are dropped with it.
 */
export async function removeExpiredCredentials(tools: Tools, stop: AbortSignal): Promise<RemovedCredentials> {
  const expired = await tools.database.databaseCredential.findMany({
    where: { expiresAt: { lt: new Date() } },
    orderBy: { expiresAt: "asc" },
  });
  const result: RemovedCredentials = { removed: 0, failures: [] };
  for (const { resourceId, user } of expired) {
    if (stop.aborted) break;
    if (!(await doLoginsWork(resourceId, tools))) continue;
    try {
      const { isDone, isRemoved } = await removeCredential(resourceId, user, tools);
      if (isRemoved) result.removed += 1;
      if (!isDone) result.failures.push({ user, reason: "Other sessions of the database hold it up." });
    } catch (error) {
      // Somebody else, perhaps another cleanup, has removed it.
      if (hasCode(error, "resource_not_found")) continue;
      result.failures.push({ user, reason: messageOf(error) });
    }
  }
  return result;
}

interface FoundDatabase {
  record: ClientResource;
  target: RoleTarget;
}

async function issue(
  { record, target }: FoundDatabase,
  login: { name: string | null; replaces?: string },
  { database, keyed, ...tools }: Tools,
): Promise<z.output<typeof issuedCredentialSchema>> {
  const limitsTemporaryFiles = await prepareDatabase(target, tools);
  const { user, password } = await recordLogin(database, { resourceId: record.id, target, ...login }, keyed);
  await createLogin(target, { user, verifier: await scramVerifier(password) }, tools);
  if ((await database.databaseCredential.count({ where: { user } })) === 0) {
    // The database was dropped meanwhile, with the logins that were known by then.
    await dropRoles(target, [user], tools);
    throw notActive();
  }
  const { address, limits: clusterLimits } = target.cluster;
  const { host, port } = address ?? { host: null, port: null };
  const url = host && `postgresql://${user}:${password}@${host}:${port}/${target.database}`;
  const limits = {
    connections: clusterLimits.connections,
    idleTransactionSeconds: IDLE_TRANSACTION_SECONDS,
    temporaryFileGb: limitsTemporaryFiles ? clusterLimits.temporaryFileGb : null,
  };
  return { user, password, host, port, database: target.database, url, limits };
}

/**
 * Whether logins of a database can connect. Neither suspending nor deleting it keeps them from that, until `npm run cleanup` begins to drop it.
 */
async function doLoginsWork(resourceId: string, { database }: Pick<Tools, "database">): Promise<boolean> {
  const where = { id: resourceId, status: { not: "pending" } };
  return (await database.clientResource.count({ where })) > 0 && !(await isDropped(database, resourceId));
}

/** The database, if it is active, in a cluster that is configured. */
async function findTarget(id: string, { database, clusters }: Tools): Promise<FoundDatabase> {
  const record = await findDatabaseRecord(database, id);
  const target = record.status === "active" ? targetOf(record, clusters) : null;
  if (target === null) throw notActive();
  return { record, target };
}

function notActive(): AppError {
  return new AppError(
    "database_not_active",
    "Only an active database of a configured cluster has credentials.",
  );
}

/** The database in its cluster, and its owner; null if that cluster is not configured. */
export function targetOf(record: ClientResource, clusters: Env["clusters"]): RoleTarget | null {
  const cluster = findClusterOf(record, clusters);
  return cluster && roleTargetOf(record, cluster);
}

async function findCredential(resourceId: string, user: string, { database }: Tools) {
  // PostgreSQL stores no null characters.
  const found = user.includes("\0")
    ? null
    : await database.databaseCredential.findUnique({ where: { user, resourceId } });
  if (found === null) throw new AppError("resource_not_found", "Resource not found");
  return found;
}
