import { z } from "zod";
import type { ClientResource } from "../../prisma/generated/client";
import { AppError } from "../app-error";
import type { Env } from "../env.server";
import type { Cluster, DataApi } from "../providers/data-api.server";
import type { Database } from "../providers/database.server";
import type { CallContext } from "../request-context.server";
import { companyIdSchema, requireCompany } from "./company.server";
import { databaseNameSchema } from "./database-name";
import { findCluster, regionNameSchema } from "./region";
import {
  activate,
  beginAttempt,
  type DatabaseRequest,
  failAttempt,
  pointAtCluster,
  reserve,
  withdraw,
} from "./reservation.server";
import { databaseStatusSchema } from "./resource";

/** The largest that the column holds. */
const MAX_ACU = 2 ** 31 - 1;

/** The body of `POST /api/cluster/databases`. */
export const createClusterDatabaseSchema = z.object({
  companyId: companyIdSchema,
  name: databaseNameSchema,
  region: regionNameSchema,
  maxCapacityAcu: z.int().min(0).max(MAX_ACU).optional(),
});

export const createdDatabaseSchema = z.object({
  success: z.literal(true),
  resource: z.object({ id: z.string(), name: z.string(), region: z.string(), status: databaseStatusSchema }),
  note: z.string().describe("for a person; names the region"),
});
export type CreatedDatabase = z.infer<typeof createdDatabaseSchema>;

interface Tools {
  database: Database;
  dataApi: DataApi;
  clusters: Env["clusters"];
  /** the request that this is done for; none in a command or a test */
  request?: CallContext;
}

/** How often a record may go away under a request before that gives up. */
const MAX_ROUNDS = 5;

/**
 * Makes a company's database, or finishes one that was left half made: the same request may come again, or several times at
 * once, and is answered as the first. docs/decisions/0020.
 * @throws AppError `company_not_found`, `name_taken`, `provider_failed`, `unavailable`
 */
export async function createClusterDatabase(
  request: DatabaseRequest,
  { database, dataApi, clusters, request: context }: Tools,
): Promise<CreatedDatabase> {
  await requireCompany(database, request.companyId);
  const cluster = findCluster(clusters, request.region);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const record = await reserve(database, request, cluster?.clusterRef ?? null);
    if (record === "taken") throw nameTaken();
    if (record === undefined) continue;
    if (cluster === null || record.status !== "pending") return toCreated(record);
    const made = await makeReserved(record, cluster, database, dataApi, context);
    if (made !== null) return toCreated(made);
  }
  const message = "Other requests for this database are under way. Try again in a moment.";
  throw new AppError("unavailable", message, { retryAfterSeconds: 1 });
}

/** The record once its database is there; null when the record was changed or taken away meanwhile. */
async function makeReserved(
  { id, name, clusterRef }: ClientResource,
  cluster: Cluster,
  database: Database,
  dataApi: DataApi,
  request: CallContext | undefined,
): Promise<ClientResource | null> {
  if (clusterRef !== cluster.clusterRef) await moveTo(cluster, id, database);

  const isThere = await dataApi.databaseExists(cluster, name, request).catch(async (error: unknown) => {
    await withdraw(database, id);
    throw error;
  });
  if (isThere) return resolveExisting(database, id, { ownAttempts: 0 });

  if (!(await beginAttempt(database, id, cluster.clusterRef))) return null;
  const result = await dataApi.createDatabase(cluster, name, request);
  switch (result.outcome) {
    case "created":
      return activate(database, id);
    case "exists":
      return resolveExisting(database, id, { ownAttempts: 1 });
    case "refused":
      await failAttempt(database, id);
      throw result.error;
    case "unknown":
      throw result.error;
    default:
      throw result satisfies never;
  }
}

/**
 * Decides whose an existing database is. Every attempt is noted in its record before the statement is sent. So if the record has an
 * attempt besides our own, that attempt made the database, and the record becomes active; if not, the database is somebody else's.
 */
async function resolveExisting(
  database: Database,
  id: string,
  { ownAttempts }: { ownAttempts: 0 | 1 },
): Promise<ClientResource | null> {
  const record = await database.clientResource.findUnique({ where: { id } });
  if (record === null || record.status !== "pending") return record;
  if (record.creationAttempts > ownAttempts) return activate(database, id);
  await (ownAttempts === 0 ? withdraw(database, id) : failAttempt(database, id));
  throw nameTaken();
}

async function moveTo(cluster: Cluster, id: string, database: Database): Promise<void> {
  const moved = await pointAtCluster(database, id, cluster.clusterRef);
  if (moved === "taken") throw nameTaken();
  if (moved) return;
  const record = await database.clientResource.findUnique({ where: { id } });
  if (record?.status !== "pending" || record.clusterRef === cluster.clusterRef) return;
  throw new AppError("provider_failed", "This database was begun in a cluster that is not in use any more.", {
    logDetail: `${id} may exist in ${record.clusterRef}; correct the record by hand, or configure that cluster again`,
  });
}

/** The same whoever has the name: another company, or something that is no company's. */
function nameTaken(): AppError {
  return new AppError("name_taken", "The name is taken in this region's cluster. Choose another.");
}

function toCreated({ id, name, region, status, clusterRef }: ClientResource): CreatedDatabase {
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
  return `The region ${region} ${reason}, so the database ${name} is recorded but not made. Ask again once it has one.`;
}
