import { z } from "zod";
import type { ClientResource } from "../../prisma/generated/client";
import { companyIdSchema, requireCompany } from "../embed/company.server";
import type { Env } from "../env/env.server";
import type { Database } from "../providers/database.server";
import type { Cluster, DataApi } from "../providers/rds-data-api.server";
import { AppError, invalidRequest } from "../shared/app-error";
import { clamped } from "../shared/clamped";
import type { RequestContext } from "../shared/request-context.server";
import { prepareDatabase, roleTargetOf } from "./credentials/database-roles.server";
import { databaseNameSchema } from "./database-name";
import { databaseStatusSchema } from "./find-databases.server";
import { findCluster, regionNameSchema } from "./region";
import {
  activate,
  assignCluster,
  beginAttempt,
  type DatabaseRequest,
  failAttempt,
  reserve,
  withdraw,
} from "./reservation.server";

/** The column is a 32-bit integer. */
const MAX_ACU = 2 ** 31 - 1;

/** The body of `POST /api/cluster/databases`. */
export const createClusterDatabaseSchema = z.strictObject({
  companyId: companyIdSchema,
  name: databaseNameSchema,
  region: regionNameSchema,
  maxCapacityAcu: clamped(MAX_ACU, z.number().min(0))
    .transform(Math.ceil)
    .optional()
    .describe("Aurora capacity units, rounded up; the largest that can be recorded is 2147483647"),
});

export const createdDatabaseSchema = z.object({
  success: z.literal(true),
  resource: z.object({ id: z.string(), name: z.string(), region: z.string(), status: databaseStatusSchema }),
  note: z.string().describe("a sentence for people; names the region"),
});
export type CreatedDatabase = z.infer<typeof createdDatabaseSchema>;

interface Tools {
  database: Database;
  dataApi: DataApi;
  clusters: Env["clusters"];
  /** missing outside of requests */
  context?: Pick<RequestContext, "deadline" | "requestId">;
}

/** milliseconds: waking a paused cluster takes most of a minute, creating in it up to another */
export const CREATION_TIMEOUT_MS = 115_000;
/** Maximum number of rounds of a request. A new one starts if another request has deleted the record. */
const MAX_ROUNDS = 5;

/**
 * Creates a company's database, or completes one whose creation was interrupted. Repeated and concurrent requests for the same database
 * all succeed. docs/decisions/0020
 * @throws AppError `invalid_request` for a region that CLUSTER_REGIONS does not list, `company_not_found`, `name_taken`,
 *   `settings_differ`, `provider_failed`, `unavailable`
 */
export async function createClusterDatabase(
  request: DatabaseRequest,
  tools: Tools,
): Promise<CreatedDatabase> {
  const record = await reserveThen(request, tools, (pending, cluster) =>
    createInCluster(pending, cluster, tools),
  );
  return toResponse(record);
}

/**
 * Records a company's database, to be created by `CreationWorker`. If creating it fails for good, the record stays `pending`, and says why in
 * its metadata.
 * @returns `isDone`: there is nothing left to do, because the database exists or its region has no cluster
 * @throws AppError `invalid_request` for a region that CLUSTER_REGIONS does not list, `company_not_found`, `name_taken`,
 *   `settings_differ`, `unavailable`
 */
export async function requestCreation(
  request: DatabaseRequest,
  tools: Pick<Tools, "database" | "clusters">,
): Promise<{ isDone: boolean; created: CreatedDatabase }> {
  const record = await reserveThen(request, tools, (pending, cluster) =>
    createLater(pending, cluster, tools.database),
  );
  const created = toResponse(record);
  if (record.status !== "pending" || findCluster(tools.clusters, record.region) === null)
    return { isDone: true, created };
  const note = `The database ${record.name} is being created in ${record.region}.`;
  return { isDone: false, created: { ...created, note } };
}

/**
 * Reserves the record of a database, and takes the next step if the record is pending and its region has a cluster.
 * @param next returns null if another request has changed or deleted the record meanwhile. Then all of it is repeated.
 */
async function reserveThen(
  request: DatabaseRequest,
  { database, clusters }: Pick<Tools, "database" | "clusters">,
  next: (pending: ClientResource, cluster: Cluster) => Promise<ClientResource | null>,
): Promise<ClientResource> {
  assertRegion(request.region, clusters.regions);
  await requireCompany(database, request.companyId);
  const cluster = findCluster(clusters, request.region);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reserved = await reserve(database, request, cluster?.clusterRef ?? null);
    if (reserved === "taken") throw nameTaken();
    if (reserved === undefined) continue;
    assertSameSettings(request, reserved);
    if (cluster === null || reserved.status !== "pending") return reserved;
    const record = await next(reserved, cluster);
    if (record !== null) return record;
  }
  throw otherRequests();
}

/** Makes `CreationWorker` create the database. @returns null as `next` of `reserveThen` */
async function createLater(
  record: ClientResource,
  cluster: Cluster,
  database: Database,
): Promise<ClientResource | null> {
  await refuseNameOfDeleted(record, cluster, database);
  // The response names the record, so it stays if the cluster refuses.
  const { count } = await database.clientResource.updateMany({
    where: { id: record.id, status: "pending" },
    data: { creationAnnounced: true },
  });
  if (count === 0) return null;
  const due = { attempts: 0, nextAttemptAt: new Date(), error: null, createdAt: new Date() };
  await database.databaseCreation.upsert({
    where: { resourceId: record.id },
    create: { resourceId: record.id, ...due },
    update: due,
  });
  return record;
}

/**
 * Creates the database of a record that `requestCreation` has made. A record that is no longer pending is left as it is.
 * @throws AppError as `createClusterDatabase`; `unavailable` also if this process does not know the cluster
 */
export async function runRequestedCreation(id: string, tools: Tools): Promise<void> {
  const { database, clusters } = tools;
  const isPending = { id, status: "pending" };
  const record = await database.clientResource.findFirst({ where: isPending });
  if (record === null) return;
  const cluster = findCluster(clusters, record.region);
  if (cluster === null) throw new AppError("unavailable", `No cluster is configured for ${record.region}.`);
  const created = await createInCluster(record, cluster, tools);
  if (created === null && (await database.clientResource.count({ where: isPending })) > 0)
    throw otherRequests();
}

function otherRequests(): AppError {
  const message = "Other requests for this database are under way. Try again in a moment.";
  return new AppError("unavailable", message, { retryAfterSeconds: 1 });
}

/** @returns the record once the database exists; null if another request has changed or deleted the record */
async function createInCluster(
  pending: ClientResource,
  cluster: Cluster,
  { database, dataApi, context }: Tools,
): Promise<ClientResource | null> {
  const { id, companyId, name, clusterRef } = pending;
  if (clusterRef !== cluster.clusterRef) await assignTo(cluster, pending, database);
  await refuseNameOfDeleted({ id, companyId, name }, cluster, database);
  const finish = async () => {
    await prepareDatabase(roleTargetOf(pending, cluster), { dataApi, context });
    return activate(database, id, context?.requestId);
  };

  const exists = await dataApi.databaseExists(cluster, name, context).catch(async (error: unknown) => {
    await withdraw(database, id);
    throw error;
  });
  if (exists) return resolveExisting(database, id, { ownAttempts: 0, finish });

  if (!(await beginAttempt(database, id, cluster.clusterRef))) return null;
  const result = await dataApi.createDatabase(cluster, name, context);
  switch (result.outcome) {
    case "created":
      return finish();
    case "exists":
      return resolveExisting(database, id, { ownAttempts: 1, finish });
    case "refused":
      await failAttempt(database, id);
      throw result.error;
    case "unknown":
      throw result.error;
    default:
      throw result satisfies never;
  }
}

/** The record has reserved the name, so no further database of that name can be deleted meanwhile. @throws AppError `name_taken` */
async function refuseNameOfDeleted(
  { id, companyId, name }: Pick<ClientResource, "id" | "companyId" | "name">,
  { clusterRef }: Cluster,
  database: Database,
): Promise<void> {
  const deletion = await database.databaseDeletion.findFirst({ where: { clusterRef, name } });
  if (deletion === null) return;
  await withdraw(database, id);
  const owner = await database.clientResource.findUnique({ where: { id: deletion.resourceId } });
  throw owner?.companyId === companyId ? nameOfDeleted() : nameTaken();
}

/**
 * Decides whether an existing database belongs to this record. Every attempt is counted in the record before CREATE DATABASE is sent. If
 * the record has an attempt besides our own, that attempt created the database, and the record becomes active. Otherwise the database
 * belongs to somebody else.
 */
async function resolveExisting(
  database: Database,
  id: string,
  { ownAttempts, finish }: { ownAttempts: 0 | 1; finish: () => Promise<ClientResource | null> },
): Promise<ClientResource | null> {
  const record = await database.clientResource.findUnique({ where: { id } });
  if (record === null || record.status !== "pending") return record;
  if (record.creationAttempts > ownAttempts) return finish();
  await (ownAttempts === 0 ? withdraw(database, id) : failAttempt(database, id));
  throw nameTaken();
}

async function assignTo(
  cluster: Cluster,
  pending: Pick<ClientResource, "id" | "name" | "clusterRef">,
  database: Database,
): Promise<void> {
  const { id } = pending;
  const assigned = await assignCluster(database, pending, cluster.clusterRef);
  if (assigned === "taken") throw nameTaken();
  if (assigned) return;
  const record = await database.clientResource.findUnique({ where: { id } });
  if (record?.status !== "pending" || record.clusterRef === cluster.clusterRef) return;
  throw new AppError(
    "provider_failed",
    "The creation of this database was started in a cluster that is no longer in use.",
    {
      logDetail: `${id} may exist in ${record.clusterRef}; correct the record by hand, or configure that cluster again`,
    },
  );
}

/** @param regions undefined if every name is accepted. A record of a region without a cluster is `pending`. */
function assertRegion(region: string, regions: readonly string[] | undefined): void {
  if (regions === undefined || regions.includes(region)) return;
  throw invalidRequest([{ path: "region", message: `must be one of ${regions.join(", ")}` }]);
}

/** A request that names no capacity accepts the recorded one. */
function assertSameSettings({ maxCapacityAcu }: DatabaseRequest, record: ClientResource): void {
  if (maxCapacityAcu === undefined || maxCapacityAcu === record.maxCapacityAcu) return;
  const recorded = record.maxCapacityAcu ?? "no limit";
  throw new AppError(
    "settings_differ",
    `This database exists with another maxCapacityAcu: ${recorded}. Send that value, or leave it out.`,
  );
}

/** The same error for every owner of the name, so that nobody learns about other companies. */
function nameTaken(): AppError {
  return new AppError("name_taken", "The name is taken in this region's cluster. Choose another.");
}

function nameOfDeleted(): AppError {
  return new AppError(
    "name_taken",
    "A deleted database of this company has this name until it is dropped. Restore it, or choose another name.",
  );
}

function toResponse({ id, name, region, status, clusterRef }: ClientResource): CreatedDatabase {
  return {
    success: true,
    resource: { id, name, region, status: databaseStatusSchema.parse(status) },
    note: noteOf(name, region, status, clusterRef),
  };
}

function noteOf(name: string, region: string, status: string, clusterRef: string | null): string {
  if (status === "active") return `The database ${name} is ready in ${region}.`;
  if (status !== "pending") return `The database ${name} in ${region} is ${status}.`;
  const reason = clusterRef === null ? "has no cluster yet" : "has its cluster switched off";
  return `The region ${region} ${reason}, so the database ${name} is recorded, but not created. Send the request again once it has one.`;
}
