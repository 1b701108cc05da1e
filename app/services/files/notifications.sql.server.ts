/* What the record says of something that a store's notification tells. SQL for all of it, because it looks for members of JSON, and keys may have NUL. */
import { z } from "zod";
import type { Database } from "../../providers/database.server";
import type { ObjectName } from "../../providers/object-changes.server";
import { type Sql, sql } from "../../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

/** Our own change and its notification differ by at most this. Amazon S3 User Guide, "Amazon S3 Event Notifications". */
const MAX_DELAY_MINUTES = 15;

/** Whether the upload with this mark is of another object: a copy keeps the mark of its source, also one that another program has made. */
export async function isOfOtherKey(
  database: Run,
  mark: string,
  { bucket, key }: ObjectName,
): Promise<boolean> {
  const [upload] = await database.$driverQuery(
    sql`
      SELECT (bucket, key) <> (${bucket}, ${key}) AS "isOther" FROM (
        SELECT id, bucket, key FROM pending_events UNION ALL SELECT id, bucket, key FROM events
      ) AS uploads WHERE id = ${mark}::uuid LIMIT 1`,
    z.object({ isOther: z.boolean().nullable() }),
  );
  return upload?.isOther === true;
}

/** Pending uploads of a key that are looked at, from each end of its index: of one person, the oldest and the newest. */
const MAX_PENDING_UPLOADS = 200;

interface StoredFile {
  time: Date;
  /** as a text: it is compared with what the JSON says */
  size: string;
}

/**
 * The pending upload whose URL may have stored a file: if several people's, nobody's name is put on it, and also if several people have begun
 * more uploads of the key than are looked at. Those without an event come first.
 */
export async function findPendingUpload(
  database: Run,
  object: ObjectName,
  stored: StoredFile,
): Promise<string | undefined> {
  const [pending] = await database.$driverQuery(
    selectPendingUpload(object, stored),
    z.object({ id: z.string() }),
  );
  return pending?.id;
}

/** Exported for tests of the plan. */
export function selectPendingUpload({ bucket, key }: ObjectName, { time, size }: StoredFile): Sql {
  const ofKey = sql`SELECT id, client_id, visitor_id, pending_since, data->>'size' AS size FROM pending_events
    WHERE bucket = ${bucket} AND key = ${key} AND type = 'file.uploaded'`;
  return sql`
    WITH uploads AS (
      (${ofKey} ORDER BY client_id, visitor_id, id LIMIT ${MAX_PENDING_UPLOADS})
      UNION
      (${ofKey} ORDER BY client_id DESC, visitor_id DESC, id DESC LIMIT ${MAX_PENDING_UPLOADS})
    )
    SELECT (array_agg(pending.id ORDER BY events.id IS NOT NULL, pending_since))[1] AS id
    FROM uploads AS pending LEFT JOIN events ON events.id = pending.id
    WHERE pending_since <= ${time.toISOString()}::timestamp AND coalesce(pending.size, ${size}) = ${size}
      AND ((SELECT count(*) < ${2 * MAX_PENDING_UPLOADS}::int FROM uploads)
        OR (SELECT count(DISTINCT (client_id, visitor_id)) = 1 FROM uploads))
    HAVING count(DISTINCT (pending.client_id, pending.visitor_id)) = 1`;
}

interface StoreChange {
  kind: "created" | "copied" | "deleted";
  /** the version of a deletion, null if the bucket keeps none; or the ETag of what was stored */
  content: string | null;
  time: Date;
}

/** Whether it is a change that we asked the store for: those are pending before. */
export async function isOurs(database: Run, object: ObjectName, change: StoreChange): Promise<boolean> {
  const [row] = await database.$driverQuery(selectIsOurs(object, change), z.object({ isOurs: z.boolean() }));
  return row?.isOurs === true;
}

/** Exported for tests of the plan. */
export function selectIsOurs({ bucket, key }: ObjectName, { kind, content, time }: StoreChange): Sql {
  const at = sql`${time.toISOString()}::timestamp`;
  const delay = sql`make_interval(mins => ${MAX_DELAY_MINUTES})`;
  const sameDeletion = sql`((type = 'file.deleted' AND key = ${key} AND (${content}::text IS NULL OR data->>'version' = ${content}))
    OR (type = 'file.moved' AND data->>'from' = ${key}))`;
  const sameCreation = sql`(key = ${key} AND type <> 'file.deleted' AND type <> 'file.download_signed'
    AND (type = 'folder.created' OR data->>'etag' = ${content}))`;
  return sql`
    SELECT EXISTS (
      SELECT 1 FROM events WHERE bucket = ${bucket} AND ${kind === "deleted" ? sameDeletion : sameCreation}
        AND occurred_at BETWEEN ${at} - ${delay} AND ${at} + ${delay}
    ) OR EXISTS (
      SELECT 1 FROM pending_events WHERE bucket = ${bucket} AND (key = ${key} OR data->>'from' = ${key}) AND type <> 'file.uploaded'
    ) AS "isOurs"`;
}

/** The live API keys whose policy names a bucket. */
export const findClientsOf = (database: Run, bucket: string) =>
  database.$driverQuery(
    sql`
      SELECT "companyId", allowed_scopes AS "allowedScopes" FROM embed_clients
      WHERE revoked_at IS NULL AND allowed_scopes->'files'->'buckets' ? ${bucket}`,
    z.object({ companyId: z.string(), allowedScopes: z.unknown() }),
  );
