/**
 * The record of a database while it is being made:
 *
 *   (none) -- reserve --> reserved -- beginAttempt --> attempted -- activate --> active
 *      ^                   |    ^                        |
 *      +---- withdraw -----+    +------ failAttempt -----+
 *
 * Both states in the middle have the status `pending`. `creationAttempts` counts the `CREATE DATABASE` statements that were
 * sent, or were about to be, and that nobody has said failed: 0 is reserved, more is attempted. A record that was announced
 * as `pending` before its region had a cluster is not taken away by `withdraw`; it only loses the cluster (`pointAtCluster`
 * gives it one again).
 *
 * Every change is one statement that looks before it writes, so that requests may run at once and a process may die after
 * any of them. docs/decisions/0020 says why it is done so.
 */
import type { ClientResource } from "../../prisma/generated/client";
import { codeOf } from "../error-text";
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
 * The live record for a request: made now, or there before. `taken` when a record of another request has that name in
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
      creationAnnounced: clusterRef === null,
    },
    skipDuplicates: true,
  });
  if (made !== undefined) return made;
  const live = { resourceType: CLUSTER_DATABASE, status: { not: "deleted" } };
  const own = await database.clientResource.findFirst({ where: { ...live, companyId, region, name } });
  if (own !== null) return own;
  if (clusterRef === null) return undefined;
  const held = await database.clientResource.count({ where: { ...live, clusterRef, externalId: name } });
  return held > 0 ? "taken" : undefined;
}

/**
 * Gives a pending record that has no cluster, or another one, its name in `clusterRef`: only while nothing has been sent to a
 * cluster for it. False when it could not; `taken` as `reserve`.
 */
export async function pointAtCluster(
  database: Database,
  id: string,
  clusterRef: string,
): Promise<boolean | "taken"> {
  try {
    return await change(database, { id, creationAttempts: 0 }, { clusterRef });
  } catch (error) {
    // A unique index decides between records at once.
    if (codeOf(error) === "P2002") return "taken";
    throw error;
  }
}

/** Notes that a `CREATE DATABASE` is about to be sent. False when the record is no longer pending in that cluster. */
export function beginAttempt(database: Database, id: string, clusterRef: string): Promise<boolean> {
  return change(
    database,
    { id, clusterRef },
    { creationAttempts: { increment: 1 }, creationAttemptedAt: new Date() },
  );
}

/** Notes that one attempt certainly made nothing, and withdraws the record if none is left that may have. */
export async function failAttempt(database: Database, id: string): Promise<void> {
  await change(database, { id, creationAttempts: { gt: 0 } }, { creationAttempts: { decrement: 1 } });
  await withdraw(database, id);
}

/** Takes a record back for which no cluster can have made anything; one that was announced loses its cluster only. */
export async function withdraw(database: Database, id: string): Promise<void> {
  const untried = { id, creationAttempts: 0 };
  await database.clientResource.deleteMany({
    where: { ...untried, status: "pending", creationAnnounced: false },
  });
  await change(database, untried, { clusterRef: null, creationAttemptedAt: null });
}

/** The record, active from now on. Null when it has gone. */
export async function activate(database: Database, id: string): Promise<ClientResource | null> {
  await change(database, { id }, { status: "active", creationAttempts: 0, creationAttemptedAt: null });
  return database.clientResource.findUnique({ where: { id } });
}

type UpdateMany = NonNullable<Parameters<Database["clientResource"]["updateMany"]>[0]>;

/** One statement: the pending record that `where` describes becomes what `data` says. False when there is none. */
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
