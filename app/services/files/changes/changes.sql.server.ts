import { z } from "zod";
import type { Author } from "../../../events/event";
import type { Database } from "../../../providers/database.server";
import type { ObjectName } from "../../../providers/object-changes.server";
import { NOW, sql } from "../../../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

/** A condition: a row is the author's, by API key and visitor. */
const isBy = ({ clientId, visitorId }: Pick<Author, "clientId" | "visitorId">) =>
  sql`client_id = ${clientId} AND visitor_id IS NOT DISTINCT FROM ${visitorId ?? null}`;

/**
 * Whether an upload was recorded at a key since a time, or may have been and is not recorded yet. SQL, because it compares a member of JSON.
 * @param since ISO 8601
 */
export async function hasUpload(
  database: Run,
  { id, bucket, key, version }: ObjectName & { id: string; version: string | null },
  since: string,
): Promise<boolean> {
  const found = await database.$driverQuery(sql`
    SELECT FROM events WHERE id = ${id}::uuid AND bucket = ${bucket} AND key = ${key} AND type = 'file.uploaded'
      AND occurred_at >= ${since}::timestamp AND coalesce(data->>'version', ${version}, '') = coalesce(${version}, '')
    UNION ALL
    SELECT FROM pending_events WHERE id = ${id}::uuid AND bucket = ${bucket} AND key = ${key}
      AND NOT EXISTS (SELECT FROM events WHERE id = ${id}::uuid)`);
  return found.length > 0;
}

const markerSchema = z.object({ key: z.string(), marker: z.string() });

/**
 * Those of the delete markers that the author's deletions have made. SQL, because of LATERAL. A deletion whose process was killed, or which is
 * not finished yet, has no event. Then its pending row tells whose it is.
 */
export const selectOwnMarkers = (
  database: Run,
  bucket: string,
  markers: readonly z.infer<typeof markerSchema>[],
  author: Pick<Author, "companyId" | "clientId" | "visitorId">,
): Promise<z.infer<typeof markerSchema>[]> => {
  const ofDeletion = sql`bucket = ${bucket} AND key = asked.key COLLATE "C" AND "companyId" = ${author.companyId} AND type = 'file.deleted'`;
  return database.$driverQuery(
    sql`
      SELECT asked.key, asked.marker FROM jsonb_to_recordset(${JSON.stringify(markers)}) AS asked(key text, marker text)
      CROSS JOIN LATERAL (
        SELECT count(*) AS recorded, count(*) FILTER (WHERE ${isBy(author)}) AS own FROM events
        WHERE ${ofDeletion} AND data->>'version' = asked.marker
      ) AS deletions
      WHERE own > 0 OR recorded = 0 AND EXISTS (SELECT FROM pending_events WHERE ${ofDeletion} AND ${isBy(author)})`,
    markerSchema,
  );
};

/** Whether the author has deleted an object since a time. SQL, because keys may have NUL. @param since ISO 8601 */
export async function hasOwnDeletion(
  database: Run,
  { bucket, key }: ObjectName,
  author: Pick<Author, "companyId" | "clientId" | "visitorId">,
  since: string,
): Promise<boolean> {
  const found = await database.$driverQuery(sql`
    SELECT FROM events WHERE bucket = ${bucket} AND key = ${key} AND "companyId" = ${author.companyId} AND type = 'file.deleted'
      AND ${isBy(author)} AND occurred_at >= ${since}::timestamp LIMIT 1`);
  return found.length > 0;
}

/**
 * The versions that moves of the last day have left. SQL, because of LATERAL.
 * @param moves files, with the key that each may have been moved from
 */
export const findMovedVersions = (
  database: Run,
  { bucket, companyId }: { bucket: string; companyId: string },
  moves: readonly { key: string; to: string }[],
) =>
  database.$driverQuery(
    sql`
      SELECT asked.key, asked."to", moved.version FROM jsonb_to_recordset(${JSON.stringify(moves)}) AS asked(key text, "to" text)
      CROSS JOIN LATERAL (
        SELECT coalesce(data->>'restoredVersion', data->>'version') AS version FROM events
        WHERE key = asked.key COLLATE "C" AND bucket = ${bucket} AND "companyId" = ${companyId} AND type = 'file.moved'
          AND data->>'from' = asked."to" AND occurred_at > ${NOW} - interval '1 day'
        ORDER BY occurred_at DESC LIMIT 1
      ) AS moved`,
    z.object({ key: z.string(), to: z.string(), version: z.string().nullable() }),
  );

/**
 * The attempt that has brought a version back: a pending change with its delete marker, or an event without one. SQL, because it looks for
 * members of JSON.
 * @param move from `key` to `to`
 */
export async function findMoveBackAttempt(
  database: Run,
  { bucket, companyId, key, to }: ObjectName & { companyId: string; to: string },
  version: string,
): Promise<{ marker: string | null } | undefined> {
  const isSame = sql`bucket = ${bucket} AND key = ${to} AND "companyId" = ${companyId}
    AND data->>'from' = ${key} AND data->>'restoredVersion' = ${version}`;
  const [attempt] = await database.$driverQuery(
    sql`
      SELECT data->>'version' AS marker FROM pending_events WHERE ${isSame} AND type = 'file.moved'
      UNION ALL SELECT NULL FROM events WHERE ${isSame} AND type = 'file.restored'
      LIMIT 1`,
    z.object({ marker: z.string().nullable() }),
  );
  return attempt;
}
