import type { Env } from "../env/env.server";
import type { Database } from "../providers/database.server";
import type { DataApi } from "../providers/rds-data-api.server";
import { messageOf } from "../shared/error-text";
import { targetOf } from "./credentials/database-credentials.server";
import { dropDatabaseWithRoles, dropRoles } from "./credentials/database-roles.server";
import { deleteLogins } from "./databases.sql.server";
import { beginDrop, endDrop, findDatabasesToDrop } from "./delete-database.server";
import { findDatabaseRecord } from "./find-databases.server";

/** The time limit for one database: its sessions, the database and all its roles. */
const MAX_DROP_MS = 5 * 60_000;
/** Longer than that, so that two processes never drop the same database. */
const CLAIM_MS = 10 * 60_000;

interface DropResult {
  dropped: number;
  failures: { name: string; reason: string }[];
}

interface Tools {
  database: Database;
  dataApi: Pick<DataApi, "run" | "dropDatabase" | "findOpeningSessions">;
  clusters: Env["clusters"];
}

/**
 * Drops the databases whose time to be restored is over, with their roles. It can be stopped at any time: another call completes what was
 * begun, once the claim has ended.
 * @param claimMs as in `beginDrop`
 */
export async function dropDeletedDatabases(
  { database, dataApi, clusters }: Tools,
  stop: AbortSignal,
  claimMs = CLAIM_MS,
): Promise<DropResult> {
  const result: DropResult = { dropped: 0, failures: [] };
  for (const { resourceId: id, name, clusterRef } of await findDatabasesToDrop(database)) {
    if (stop.aborted) break;
    try {
      const record = await findDatabaseRecord(database, id);
      const target = targetOf(record, clusters);
      if (target === null) throw new Error(`The cluster ${clusterRef} is not configured.`);
      if (target.database !== name) throw new Error(`The record ${id} is about another database by now.`);
      const claim = await beginDrop(database, id, claimMs);
      if (claim === null) {
        const { status } = await findDatabaseRecord(database, id);
        if (status === "deleted") continue;
        throw new Error(`Its record is ${status}. To keep it: npm run databases -- restore ${id}`);
      }
      const logins = await database.databaseCredential.findMany({ where: { resourceId: id } });
      const context = { deadline: performance.now() + MAX_DROP_MS };
      const users = logins.map(({ user }) => user);
      await dropDatabaseWithRoles(target, users, { dataApi, context });
      // A login that was being made meanwhile may have come after the drop.
      await dropRoles(target, await deleteLogins(database, id), { dataApi, context });
      await endDrop(database, id, claim);
      result.dropped += 1;
    } catch (error) {
      result.failures.push({ name, reason: messageOf(error) });
    }
  }
  return result;
}
