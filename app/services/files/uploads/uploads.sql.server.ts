/* The record of uploads. SQL for all of it, because a service has no tables but those that its statements name, and keys may have NUL. */
import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import type { Author } from "../../../events/event";
import { MADE_A_VERSION, STORING } from "../../../events/events.sql.server";
import type { ObjectName } from "../../../providers/object-changes.server";
import { NOW, sql } from "../../../providers/sql.server";

type Run = ServiceTools["database"];

/** The member of a recorded upload's data that says that cleanup has looked for further contents. It does so once more before the row goes. */
export const CHECKED = "checked";

/** Remembers the handle of an unfinished upload, in place of an earlier one of the same owner. */
export const writeHandle = (database: Run, ownerHash: string, handle: string) =>
  database.$driverQuery(sql`
    INSERT INTO unfinished_uploads (owner_hash, handle, created_at) VALUES (${ownerHash}, ${handle}, ${NOW})
    ON CONFLICT (owner_hash) DO UPDATE SET handle = excluded.handle, created_at = excluded.created_at`);

export const deleteHandle = (database: Run, ownerHash: string, handle: string) =>
  database.$driverQuery(
    sql`DELETE FROM unfinished_uploads WHERE owner_hash = ${ownerHash} AND handle = ${handle}`,
  );

export const readHandle = (database: Run, ownerHash: string) =>
  database.$driverQuery(
    sql`
      SELECT handle FROM unfinished_uploads
      WHERE owner_hash = ${ownerHash} AND created_at > ${NOW} - make_interval(days => ${MAX_UPLOAD_DAYS})`,
    z.object({ handle: z.string() }),
  );

/** @param id of the event */
export async function isRecorded(database: Run, id: string): Promise<boolean> {
  return (await database.$driverQuery(sql`SELECT FROM events WHERE id = ${id}::uuid`)).length > 0;
}

const markedUploadSchema = z.object({ id: z.string(), isPending: z.boolean(), isOwn: z.boolean() });

/** Pending uploads that are looked for: as many as `findUploads` looks at versions. What is older is left to cleanup. */
const MAX_PENDING_UPLOADS = 200;

/** The caller's newest pending uploads of a key, and the upload with this mark, pending or recorded, whoever has begun it. */
export const findUploadsOf = (
  database: Run,
  { bucket, key }: ObjectName,
  mark: string | undefined,
  { clientId, visitorId }: Pick<Author, "clientId" | "visitorId">,
): Promise<z.infer<typeof markedUploadSchema>[]> => {
  const isBy = sql`client_id = ${clientId} AND ${visitorId === undefined ? sql`visitor_id IS NULL` : sql`visitor_id = ${visitorId}`}`;
  const isOwn = sql`(${isBy}) IS TRUE AS "isOwn"`;
  const isPending = sql`bucket = ${bucket} AND key = ${key} AND type = 'file.uploaded'
    AND NOT EXISTS (SELECT FROM events WHERE events.id = pending.id)`;
  return database.$driverQuery(
    sql`
      (SELECT id, true AS "isPending", ${isOwn} FROM pending_events AS pending
        WHERE ${isBy} AND ${isPending} ORDER BY id DESC LIMIT ${MAX_PENDING_UPLOADS})
      UNION
      SELECT id, true, ${isOwn} FROM pending_events AS pending WHERE id = ${mark ?? null}::uuid AND ${isPending}
      UNION ALL
      SELECT id, false, ${isOwn} FROM events WHERE id = ${mark ?? null}::uuid`,
    markedUploadSchema,
  );
};

/** Notes that cleanup has looked for the contents of an upload. */
export async function markChecked(database: Run, id: string): Promise<void> {
  await database.$driverQuery(
    sql`UPDATE pending_events SET data = data || jsonb_build_object(${CHECKED}::text, true) WHERE id = ${id}::uuid`,
  );
}

/** The versions of an object that have an event. */
export async function findRecordedVersions(
  database: Run,
  { bucket, key }: ObjectName,
): Promise<ReadonlySet<string>> {
  const rows = await database.$driverQuery(
    sql`
      SELECT data->>'version' AS version FROM events
      WHERE bucket = ${bucket} AND key = ${key} AND data ? 'version' AND ${MADE_A_VERSION}`,
    z.object({ version: z.string() }),
  );
  return new Set(rows.map(({ version }) => version));
}

const BROUGHT = sql`type IN ('file.copied', 'file.moved', 'file.restored')`;

/**
 * The keys that copies, moves and restores have brought the content of a key to, at last.
 * @param since unix seconds
 */
export const findTargets = (database: Run, { bucket, key }: ObjectName, since: number) =>
  database.$driverQuery(
    sql`
      WITH RECURSIVE brought AS (
        SELECT key, occurred_at, data->>'etag' AS etag, occurred_at AS left_at FROM events
        WHERE bucket = ${bucket} AND occurred_at >= to_timestamp(${since}) AT TIME ZONE 'utc' AND ${BROUGHT} AND data->>'from' = ${key}
        UNION
        SELECT events.key, events.occurred_at, events.data->>'etag', left_at FROM brought JOIN events
          ON bucket = ${bucket} AND events.occurred_at >= brought.occurred_at AND ${BROUGHT} AND data->>'from' = brought.key
      )
      SELECT DISTINCT ON (key) key, etag, to_char(left_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "leftAt"
      FROM brought WHERE key <> ${key}
      ORDER BY key, occurred_at DESC, left_at DESC`,
    z.object({
      key: z.string(),
      /** of what was brought there */
      etag: z.string().nullable(),
      /** ISO 8601: when it left the key of the upload */
      leftAt: z.string(),
    }),
  );

/** What the record says that a key has held. @param since unix seconds */
export const findContentsOf = (database: Run, { bucket, key }: ObjectName, since: number) =>
  database.$driverQuery(
    sql`
      SELECT id, data->>'etag' AS etag, data->>'checksum' AS checksum FROM events
      WHERE bucket = ${bucket} AND key = ${key} AND occurred_at >= to_timestamp(${since}) AT TIME ZONE 'utc' AND type IN (${STORING})`,
    z.object({ id: z.string(), etag: z.string().nullable(), checksum: z.string().nullable() }),
  );
