/**
 * The record of a database while it is being made. Every change is one statement that looks before it writes, so that
 * requests may run at once and a process may die after any of them. docs/decisions/0020 says why it is done so.
 *
 * In `metadata.creation`: `unconfirmedAttempts` counts those `CREATE DATABASE` statements that were sent, or were about to
 * be, and of which nobody has said since that they failed. `recorded` is true when the record was answered as `pending`
 * before it had a cluster, and so is not taken away when the cluster refuses.
 */
import type { ClientResource } from "../../prisma/generated/client";
import type { Database } from "../providers/database.server";
import { CLUSTER_DATABASE } from "./resource";

export interface DatabaseRequest {
  companyId: string;
  /** normalized */
  name: string;
  region: string;
  maxCapacityAcu?: number | undefined;
}

/**
 * The live record for a request: made now, or there before. `taken` when a record of another request claims that name in
 * that cluster. Undefined when there was one that has just gone: ask again.
 */
export async function reserve(
  database: Database,
  { companyId, name, region, maxCapacityAcu }: DatabaseRequest,
  clusterRef: string | null,
): Promise<ClientResource | "taken" | undefined> {
  const [made] = await database.clientResource.createManyAndReturn({
    data: {
      companyId,
      resourceType: CLUSTER_DATABASE,
      name,
      region,
      status: "pending",
      externalId: name,
      clusterRef,
      maxCapacityAcu: maxCapacityAcu ?? null,
      ...(clusterRef === null ? {} : { metadata: { creation: { unconfirmedAttempts: 0 } } }),
    },
    skipDuplicates: true,
  });
  if (made !== undefined) return made;
  const live = { resourceType: CLUSTER_DATABASE, status: { not: "deleted" } };
  const own = await database.clientResource.findFirst({ where: { ...live, companyId, region, name } });
  if (own !== null) return own;
  if (clusterRef === null) return undefined;
  const claimed = await database.clientResource.count({ where: { ...live, clusterRef, externalId: name } });
  return claimed > 0 ? "taken" : undefined;
}

/**
 * Lets a pending record that has no cluster, or another one, claim its name in `clusterRef`: only while nothing has been
 * sent to a cluster for it. False when it could not; `taken` as `reserve`.
 */
export async function pointAtCluster(
  database: Database,
  id: string,
  clusterRef: string,
): Promise<boolean | "taken"> {
  try {
    const changed = await database.$executeRaw`
      UPDATE client_resources SET
        cluster_ref = ${clusterRef},
        metadata = metadata || jsonb_build_object('creation', jsonb_build_object(
          'unconfirmedAttempts', 0,
          'recorded', cluster_ref IS NULL OR coalesce((metadata #>> '{creation,recorded}')::boolean, false))),
        "updatedAt" = now() AT TIME ZONE 'UTC'
      WHERE id = ${id} AND status = 'pending'
        AND coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 0) = 0`;
    return changed > 0;
  } catch (error) {
    if (isUniqueViolation(error)) return "taken";
    throw error;
  }
}

/** Notes that a `CREATE DATABASE` is about to be sent. False when the record is no longer pending in that cluster. */
export async function beginAttempt(database: Database, id: string, clusterRef: string): Promise<boolean> {
  const changed = await database.$executeRaw`
    UPDATE client_resources SET
      metadata = metadata || jsonb_build_object('creation',
        coalesce(metadata -> 'creation', '{}') || jsonb_build_object(
          'unconfirmedAttempts', coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 0) + 1,
          'lastAttemptAt', ${new Date().toISOString()}::text)),
      "updatedAt" = now() AT TIME ZONE 'UTC'
    WHERE id = ${id} AND status = 'pending' AND cluster_ref = ${clusterRef}`;
  return changed > 0;
}

/** Notes that one attempt certainly made nothing, and withdraws the record if none is left that may have. */
export async function failAttempt(database: Database, id: string): Promise<void> {
  await database.$executeRaw`
    UPDATE client_resources SET
      metadata = jsonb_set(metadata, '{creation,unconfirmedAttempts}',
        to_jsonb(coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 1) - 1)),
      "updatedAt" = now() AT TIME ZONE 'UTC'
    WHERE id = ${id} AND status = 'pending'`;
  await withdraw(database, id);
}

/** Takes a record back for which no cluster can have made anything; one that was answered before loses its cluster only. */
export async function withdraw(database: Database, id: string): Promise<void> {
  await database.$executeRaw`
    DELETE FROM client_resources
    WHERE id = ${id} AND status = 'pending'
      AND coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 0) = 0
      AND NOT coalesce((metadata #>> '{creation,recorded}')::boolean, false)`;
  await database.$executeRaw`
    UPDATE client_resources SET
      cluster_ref = NULL, metadata = metadata - 'creation', "updatedAt" = now() AT TIME ZONE 'UTC'
    WHERE id = ${id} AND status = 'pending'
      AND coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 0) = 0`;
}

/** The record, active from now on. Null when it has gone. */
export async function activate(database: Database, id: string): Promise<ClientResource | null> {
  await database.$executeRaw`
    UPDATE client_resources SET
      status = 'active', metadata = metadata - 'creation', "updatedAt" = now() AT TIME ZONE 'UTC'
    WHERE id = ${id} AND status = 'pending'`;
  return database.clientResource.findUnique({ where: { id } });
}

/** How many attempts may have made, or may yet make, the database of a record. */
export function unconfirmedAttempts({ metadata }: ClientResource): number {
  const creation = memberOf(metadata, "creation");
  const count = memberOf(creation, "unconfirmedAttempts");
  return typeof count === "number" ? count : 0;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Prisma's P2002, and P2010 with PostgreSQL's 23505 where the statement was our own. */
function isUniqueViolation(error: unknown): boolean {
  const code = memberOf(error, "code");
  return code === "P2002" || (code === "P2010" && error instanceof Error && error.message.includes("23505"));
}
