/**
 * The record of a database while it is being created:
 *
 *   (none) -- reserve --> reserved -- beginAttempt --> attempted -- activate --> active
 *      ^                   |    ^                        |
 *      +---- withdraw -----+    +------ failAttempt -----+
 *
 * Both states in the middle have the status `pending`. `creationAttempts` counts the `CREATE DATABASE` statements that may have
 * succeeded: it is incremented before a statement is sent, and decremented when the statement is known to have failed. 0 means
 * reserved, more means attempted.
 *
 * If the region had no cluster, a caller has been told that the record is `pending`. `withdraw` does not delete such a record, it
 * only removes the cluster; `assignCluster` sets one again. `externalId` reserves the name in the cluster, so it is set together with it.
 *
 * Every change is one conditional statement, so requests can run concurrently, and a process can die after any of them.
 * docs/decisions/0020
 */
import type { ClientResource } from "../../prisma/generated/client";
import type { Database } from "../providers/database.server";
import { codeOf } from "../shared/error-text";
import { activateRecord } from "./databases.sql.server";
import { CLUSTER_DATABASE } from "./find-databases.server";

export interface DatabaseRequest {
  companyId: string;
  /** normalized */
  name: string;
  region: string;
  maxCapacityAcu?: number | undefined;
}

/**
 * Creates the record for a request, or finds the one that exists.
 * @returns `taken` if a record of another company has that name in the cluster; undefined if a record was deleted meanwhile, so that the
 *   call has to be repeated
 */
export async function reserve(
  database: Database,
  { companyId, name, region, maxCapacityAcu }: DatabaseRequest,
  clusterRef: string | null,
): Promise<ClientResource | "taken" | undefined> {
  const [created] = await database.clientResource.createManyAndReturn({
    data: {
      companyId,
      resourceType: CLUSTER_DATABASE,
      name,
      region,
      status: "pending",
      externalId: clusterRef === null ? null : name,
      clusterRef,
      maxCapacityAcu: maxCapacityAcu ?? null,
      creationAnnounced: clusterRef === null,
    },
    skipDuplicates: true,
  });
  if (created !== undefined) return created;
  const notDeleted = { resourceType: CLUSTER_DATABASE, status: { not: "deleted" } };
  const own = await database.clientResource.findFirst({ where: { ...notDeleted, companyId, region, name } });
  if (own !== null) return own;
  if (clusterRef === null) return undefined;
  const held = await database.clientResource.count({
    where: { ...notDeleted, clusterRef, externalId: name },
  });
  return held > 0 ? "taken" : undefined;
}

/**
 * Moves a pending record to another cluster, as long as no attempt was made to create its database. One that had none was announced, or a
 * person has made it.
 * @returns false if it could not be moved; `taken` as in `reserve`
 */
export async function assignCluster(
  database: Database,
  { id, name, clusterRef: before }: Pick<ClientResource, "id" | "name" | "clusterRef">,
  clusterRef: string,
): Promise<boolean | "taken"> {
  const announced = before === null && { creationAnnounced: true };
  try {
    return await change(
      database,
      { id, creationAttempts: 0 },
      { clusterRef, externalId: name, ...announced },
    );
  } catch (error) {
    // Of concurrent requests, the unique index lets one through.
    if (codeOf(error) === "P2002") return "taken";
    throw error;
  }
}

/** Counts an attempt, before `CREATE DATABASE` is sent. @returns false if the record is no longer pending in that cluster */
export function beginAttempt(database: Database, id: string, clusterRef: string): Promise<boolean> {
  return change(
    database,
    { id, clusterRef },
    { creationAttempts: { increment: 1 }, creationAttemptedAt: new Date() },
  );
}

/** Takes back an attempt that is known to have failed, and withdraws the record if no other attempt is left. */
export async function failAttempt(database: Database, id: string): Promise<void> {
  await change(database, { id, creationAttempts: { gt: 0 } }, { creationAttempts: { decrement: 1 } });
  await withdraw(database, id);
}

/** Deletes a record without attempts. If a caller knows it as `pending`, it only loses its cluster. */
export async function withdraw(database: Database, id: string): Promise<void> {
  const unattempted = { id, creationAttempts: 0 };
  await database.clientResource.deleteMany({
    where: { ...unattempted, status: "pending", creationAnnounced: false },
  });
  await change(database, unattempted, { clusterRef: null, externalId: null, creationAttemptedAt: null });
}

/** Makes a record active. @returns null if it was deleted */
export async function activate(
  database: Database,
  id: string,
  requestId: string | undefined,
): Promise<ClientResource | null> {
  await activateRecord(database, id, requestId);
  return database.clientResource.findUnique({ where: { id } });
}

type UpdateMany = NonNullable<Parameters<Database["clientResource"]["updateMany"]>[0]>;

/** Updates a pending record with one statement. @returns false if no pending record matches `where` */
async function change(
  database: Database,
  where: UpdateMany["where"],
  data: UpdateMany["data"],
): Promise<boolean> {
  const { count } = await database.clientResource.updateMany({
    where: { ...where, status: "pending" },
    data,
  });
  return count > 0;
}
