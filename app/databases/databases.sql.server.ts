import { z } from "zod";
import type { databaseEventTypes } from "../events/event";
import { newEventId } from "../events/events.server";
import { insertDeliveriesOf } from "../events/events.sql.server";
import { type Database, inTransaction, type Transaction } from "../providers/database.server";
import { NOW, type Sql, sql } from "../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

/**
 * Updates a record of `client_resources` and writes the event. SQL, because it is one statement, so that neither exists without the other.
 * @param update common table expressions, of which `updated` returns the record if the event is to be written
 */
async function updateWithEvent(
  database: Run,
  type: (typeof databaseEventTypes)[number],
  update: Sql,
  requestId: string | undefined,
): Promise<void> {
  await database.$driverQuery(sql`
    WITH ${update}, written AS (
      INSERT INTO events (id, type, occurred_at, "companyId", request_id, database_id, data, source)
      SELECT ${newEventId()}::uuid, ${type}, ${NOW}, "companyId", ${requestId ?? null}, id,
        jsonb_build_object('name', name, 'region', region), 'service'
      FROM updated RETURNING *
    ) ${insertDeliveriesOf("written")}`);
}

/** Makes a pending record active. Of requests at once that finish a database, one activates it. */
export const activateRecord = (database: Run, id: string, requestId: string | undefined): Promise<void> =>
  updateWithEvent(
    database,
    "database.created",
    sql`updated AS (
      UPDATE client_resources SET status = 'active', creation_attempts = 0, creation_attempted_at = NULL,
        "updatedAt" = ${NOW}
      WHERE id = ${id} AND status = 'pending' RETURNING *
    )`,
    requestId,
  );

/**
 * Deletes a record. A database that was created gets a row in `database_deletions`, and its record is deleted only if that row was written.
 * One that was never created needs none, and nobody is told that it was deleted.
 * @param keptMs how long it can be restored, milliseconds
 */
export const deleteRecord = (
  database: Run,
  id: string,
  keptMs: number,
  requestId: string | undefined,
): Promise<void> =>
  updateWithEvent(
    database,
    "database.deleted",
    sql`found AS (
      SELECT * FROM client_resources WHERE id = ${id} FOR UPDATE
    ), kept AS (
      INSERT INTO database_deletions (resource_id, cluster_ref, name, status_before, drop_after)
      SELECT id, cluster_ref, coalesce(external_id, name), status, ${NOW} + ${keptMs}::float8 * interval '1 millisecond'
      FROM found WHERE status IN ('active', 'suspended')
      ON CONFLICT DO NOTHING RETURNING resource_id
    ), ended AS (
      UPDATE client_resources AS record SET status = 'deleted', "updatedAt" = ${NOW}
      FROM found LEFT JOIN kept ON resource_id = found.id
      WHERE record.id = found.id
        AND (resource_id IS NOT NULL OR (found.status = 'pending' AND found.creation_attempts = 0))
      RETURNING record.*
    ), updated AS (
      SELECT * FROM ended WHERE id IN (SELECT resource_id FROM kept)
    ), withdrawn AS (
      DELETE FROM database_creations WHERE resource_id IN (SELECT id FROM ended)
    )`,
    requestId,
  );

/** Restores a deleted record, unless its database is being dropped. */
export const restoreRecord = (database: Run, id: string, requestId: string | undefined): Promise<void> =>
  updateWithEvent(
    database,
    "database.restored",
    sql`restored AS (
      DELETE FROM database_deletions WHERE resource_id = ${id} AND drop_started_at IS NULL RETURNING status_before
    ), updated AS (
      UPDATE client_resources SET status = status_before, "updatedAt" = ${NOW}
      FROM restored WHERE id = ${id} AND status = 'deleted' RETURNING client_resources.*
    )`,
    requestId,
  );

/**
 * Whether a deleted database can no longer be restored. SQL, because it must be one statement: others delete and restore the record at the
 * same time.
 */
export async function isDropped(database: Run, id: string): Promise<boolean> {
  const dropped = await database.$driverQuery(sql`
    SELECT 1 FROM client_resources WHERE id = ${id} AND status = 'deleted'
      AND NOT EXISTS (SELECT FROM database_deletions WHERE resource_id = ${id} AND drop_started_at IS NULL)`);
  return dropped.length > 0;
}

/**
 * Claims a database for dropping. SQL, because one statement decides and writes. People may edit `client_resources`, so the database is dropped
 * only if its record is still deleted, and no other record is about it.
 * @param claimMs after so many milliseconds, an earlier claim has ended
 * @returns whether it was claimed
 */
export async function claimDrop(database: Run, id: string, now: Date, claimMs: number): Promise<boolean> {
  const time = sql`${now.toISOString()}::timestamp`;
  const claimed = await database.$driverQuery(sql`
    UPDATE database_deletions AS deletion SET drop_started_at = ${time}
    WHERE resource_id = ${id} AND drop_after <= ${time}
      AND (drop_started_at IS NULL OR drop_started_at < ${time} - ${claimMs}::float8 * interval '1 millisecond')
      AND EXISTS (SELECT 1 FROM client_resources WHERE id = ${id} AND status = 'deleted')
      AND NOT EXISTS (
        SELECT 1 FROM client_resources AS other
        WHERE other.id <> ${id} AND other.status <> 'deleted' AND other.cluster_ref = deletion.cluster_ref
          AND coalesce(other.external_id, other.name) = deletion.name
      )
    RETURNING 1`);
  return claimed.length > 0;
}

/** Deletes the logins of a database. SQL, because Prisma does not return what it deletes. @returns their users */
export async function deleteLogins(database: Run, id: string): Promise<string[]> {
  const logins = await database.$driverQuery(
    sql`DELETE FROM database_credentials WHERE resource_id = ${id} RETURNING user_name AS "user"`,
    z.object({ user: z.string() }),
  );
  return logins.map(({ user }) => user);
}

const creationSchema = z.object({
  resourceId: z.string(),
  /** attempts before this one */
  attempts: z.int(),
});
export type Creation = z.infer<typeof creationSchema>;

/**
 * Claims creations that are due. SQL, because of SKIP LOCKED. First attempts come first, so that a cluster that does not respond holds up the
 * others less.
 */
export const claimCreations = (database: Run, limit: number, claimSeconds: number): Promise<Creation[]> =>
  database.$driverQuery(
    sql`
      UPDATE database_creations SET attempts = attempts + 1, next_attempt_at = ${NOW} + make_interval(secs => ${claimSeconds})
      WHERE resource_id IN (
        SELECT resource_id FROM database_creations WHERE next_attempt_at <= ${NOW}
        ORDER BY attempts, next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) RETURNING resource_id AS "resourceId", attempts - 1 AS attempts`,
    creationSchema,
  );

/** SQL, because it goes by the database's clock, as the claim does. */
export async function postponeCreation(database: Run, resourceId: string, seconds: number): Promise<void> {
  await database.$driverQuery(
    sql`UPDATE database_creations SET next_attempt_at = ${NOW} + make_interval(secs => ${seconds}) WHERE resource_id = ${resourceId}`,
  );
}

/** SQL, because of FOR UPDATE: requests for one database wait for each other here. */
export async function lockRecord(transaction: Transaction, id: string): Promise<void> {
  await inTransaction(transaction).$driverQuery(
    sql`SELECT 1 FROM client_resources WHERE id = ${id} FOR UPDATE`,
  );
}
