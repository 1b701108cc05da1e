/**
 * The record of a database that is deleted, and its row in `database_deletions`:
 *
 *   active -- deleteDatabase --> deleted, with a row -- beginDrop --> being dropped -- endDrop --> deleted, without a row
 *      ^                             |
 *      +------ restoreDatabase ------+
 *
 * As long as there is a row, nobody can create a database of that name in that cluster. So a `DROP DATABASE` that arrives late cannot
 * drop another one. docs/decisions/0125
 */
import { z } from "zod";
import type { DatabaseDeletion } from "../../prisma/generated/client";
import { type Database, UNIQUE_VIOLATION } from "../providers/database.server";
import { AppError, invalidRequest } from "../shared/app-error";
import { codeOf } from "../shared/error-text";
import type { RequestContext } from "../shared/request-context.server";
import { claimDrop, deleteRecord, isDropped, restoreRecord } from "./databases.sql.server";
import { type DatabaseResource, findClusterDatabase, findDatabaseRecord } from "./find-databases.server";

const DAY_MS = 24 * 3600_000;
/** Maximum number of attempts while others delete and restore the same database. */
const MAX_ATTEMPTS = 5;

const confirm = z.string().max(200).describe("the database's name, as the list shows it");
export const deleteDatabaseSchema = z.strictObject({ confirm });
/** For clients that send no body with DELETE. */
export const deleteDatabaseQuerySchema = z.strictObject({ confirm: confirm.optional() });

interface Tools {
  database: Database;
  /** how long it can be restored */
  deleteAfterDays: number;
  context?: Pick<RequestContext, "requestId">;
}

/**
 * Deletes the record of a database. The database itself stays as it is until `npm run cleanup` drops it, and can be restored until then. A
 * record whose database was never created is deleted for good. Repeating it does no harm.
 * @throws AppError `resource_not_found`, `invalid_request` for another name, `database_not_active` if it is unknown whether the database
 *   exists, `unavailable` if others restore it again and again
 */
export async function deleteDatabase(
  id: string,
  { confirm }: { confirm?: string | undefined },
  { database, deleteAfterDays, context }: Tools,
): Promise<DatabaseResource> {
  const { name } = await findDatabaseRecord(database, id);
  if (confirm !== name)
    throw invalidRequest([{ path: "confirm", message: "must be the name of this database" }]);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await deleteRecord(database, id, deleteAfterDays * DAY_MS, context?.requestId);
    const resource = await findClusterDatabase(database, id);
    if (resource.status === "deleted") return resource;
    if (resource.status === "pending") {
      throw new AppError(
        "database_not_active",
        "This database is still being created, or it is unknown whether it was. Send the request that creates it again, and delete it then.",
      );
    }
    // Somebody has restored it since.
  }
  throw changedByOthers();
}

/**
 * Brings a deleted database back with its data and credentials. Repeating it does no harm.
 * @throws AppError `resource_not_found`, `database_dropped`, `unavailable` if others delete it again and again; `name_taken` if the company
 *   has another database of that name by now, in another cluster
 */
export async function restoreDatabase(
  id: string,
  { database, context }: Omit<Tools, "deleteAfterDays">,
): Promise<DatabaseResource> {
  await findDatabaseRecord(database, id);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await restoreRecord(database, id, context?.requestId).catch((error: unknown) => {
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      throw new AppError(
        "name_taken",
        "The company has another database of that name in that region by now.",
      );
    });
    const resource = await findClusterDatabase(database, id);
    if (resource.status !== "deleted") return resource;
    if (await isDropped(database, id))
      throw new AppError("database_dropped", "This database has been dropped, so it cannot be restored.");
    // Somebody has deleted it since.
  }
  throw changedByOthers();
}

const changedByOthers = () =>
  new AppError("unavailable", "Others are deleting and restoring this database. Try again in a moment.", {
    retryAfterSeconds: 1,
  });

/** Deleted databases whose time to be restored is over, the longest overdue first. */
export function findDatabasesToDrop(database: Database): Promise<DatabaseDeletion[]> {
  return database.databaseDeletion.findMany({
    where: { dropAfter: { lte: new Date() } },
    orderBy: { dropAfter: "asc" },
  });
}

/**
 * Claims a database for dropping. From then on it cannot be restored.
 * @param claimMs how long this process has it for itself, milliseconds: longer than dropping it may take
 * @returns the claim; null if it was restored, another process is dropping it, or a record is about this database
 */
export async function beginDrop(database: Database, id: string, claimMs: number): Promise<Date | null> {
  const now = new Date();
  return (await claimDrop(database, id, now, claimMs)) ? now : null;
}

/** Records that the database and its roles are gone, which frees the name. @param claim as `beginDrop` returned it */
export async function endDrop(database: Database, id: string, claim: Date): Promise<void> {
  await database.databaseDeletion.deleteMany({ where: { resourceId: id, dropStartedAt: claim } });
}
