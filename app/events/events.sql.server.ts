/* The statements that write events. events.server.ts says when. */
import { z } from "zod";
import { IS_LIVE } from "../embed/embed-clients.sql.server";
import type { Database } from "../providers/database.server";
import { NOW, rawSql, type Sql, sql } from "../providers/sql.server";
import { storableText } from "../shared/storable-text";
import type { FileEvent, NewEvent } from "./event";

type Run = Pick<Database, "$driverQuery">;

/** Members of an event as columns of a JSON recordset. */
const COLUMNS = sql`id uuid, type text, "companyId" text, "clientId" text, "visitorId" text, "visitorName" text, "requestId" text,
  bucket text, key text, data jsonb`;

/** Types of events that leave an object at their key. */
export const STORING: Sql = sql`'file.uploaded', 'file.copied', 'file.moved', 'file.restored'`;

/** A condition: an event has made a version. Undoing a deletion makes none, nor does moving back: such an event names a version that was there. */
export const MADE_A_VERSION: Sql = sql`type IN (${STORING}) AND (type <> 'file.restored' OR data ? 'fromVersion') AND NOT data ? 'restoredVersion'`;

/** Rows as the parameter of a statement: JSON. */
function storable(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? storableText(value) : value,
  );
}

const pendingSchema = z.object({ id: z.string(), change: z.string() });

/**
 * Inserts pending rows. A repeated attempt keeps the row of the first one. The author is that of the last attempt. SQL, because it goes by the
 * database's clock and joins the data of both attempts.
 * @param rows each change once
 */
export const insertPendingEvents = (
  database: Run,
  rows: readonly (FileEvent & { id: string; change: string })[],
) =>
  database.$driverQuery(
    sql`
      INSERT INTO pending_events (id, change, type, pending_since, "companyId", client_id, visitor_id, visitor_name, request_id, bucket, key, data)
      SELECT id, change, type, ${NOW}, "companyId", "clientId", "visitorId", "visitorName", "requestId", bucket, key, data
      FROM jsonb_to_recordset(${storable(rows)}) AS given(change text, ${COLUMNS})
      ON CONFLICT (change) DO UPDATE SET client_id = excluded.client_id, visitor_id = excluded.visitor_id,
        visitor_name = excluded.visitor_name, request_id = excluded.request_id, data = pending_events.data || excluded.data
      RETURNING id, change`,
    pendingSchema,
  );

/**
 * The part of a statement that adds a delivery for each endpoint that takes an event, unless the key that created it has ended. It ends
 * within its WHERE, so that conditions and ON CONFLICT may follow. docs/decisions/0114
 * Thumbnails are left out: opening one folder signs a hundred.
 * @param events the name of a CTE with the columns of `events`
 */
export const insertDeliveriesOf = (events: "written" | "chosen"): Sql => sql`
  INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, source_subject, next_attempt_at, created_at)
  SELECT endpoint.id, event.id, md5(concat_ws(chr(31), bucket, key, database_id, campaign_id, recipient))::uuid,
    CASE WHEN data ? 'from' THEN md5(concat_ws(chr(31), bucket, data->>'from'))::uuid END,
    ${NOW}, ${NOW}
  FROM ${rawSql(events)} AS event JOIN webhook_endpoints AS endpoint ON endpoint."companyId" = event."companyId"
    AND endpoint.disabled_at IS NULL AND endpoint.types && ARRAY[type, split_part(type, '.', 1) || '.*', '*']
  WHERE data->>'purpose' IS DISTINCT FROM 'thumbnail'
    AND EXISTS (SELECT FROM embed_clients AS client WHERE client.id = endpoint.client_id AND ${IS_LIVE})`;

/**
 * Inserts events. SQL, because one statement also ends their pending rows and queues them for webhooks.
 *
 * - `given`: the events to write, except those of uploads that are none, because a copied object keeps its source's upload mark: the mark's
 *   pending row has another key, or a copy, a move or a restoring has made this version. `npm run cleanup` finds the version of the upload.
 * - `pending`: the pending rows. The author is taken from them, not from whoever reports the change.
 * - `ended`: deletes them, except those of uploads: a URL may be used again.
 * - `written`: inserts the events. One whose id exists is left as it is, and goes to no webhook again.
 */
export async function insertEvents(database: Run, rows: readonly object[]): Promise<void> {
  await database.$driverQuery(sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${storable(rows)})
        AS given("occurredAt" timestamp, "seenAt" timestamp, source text, "campaignId" text, recipient text, ${COLUMNS})
      WHERE NOT EXISTS (SELECT FROM pending_events AS pending WHERE pending.id = given.id AND (pending.bucket, pending.key) <> (given.bucket, given.key))
        AND NOT ("seenAt" IS NOT NULL AND data ? 'version' AND (
          EXISTS (SELECT FROM events WHERE bucket = given.bucket AND key = given.key AND ${MADE_A_VERSION} AND type <> 'file.uploaded'
            AND data->>'version' = given.data->>'version')
          OR EXISTS (SELECT FROM pending_events AS pending WHERE pending.bucket = given.bucket AND pending.key = given.key
            AND type IN (${STORING}) AND type <> 'file.uploaded')))
    ), pending AS (
      SELECT * FROM pending_events WHERE id IN (SELECT id FROM given)
    ), ended AS (
      DELETE FROM pending_events WHERE id IN (SELECT id FROM given) AND type <> 'file.uploaded'
    ), written AS (
      INSERT INTO events (id, type, occurred_at, "companyId", client_id, visitor_id, visitor_name, request_id, bucket, key,
        campaign_id, recipient, data, source)
      SELECT given.id, given.type, given."occurredAt",
        coalesce(pending."companyId", given."companyId"), coalesce(pending.client_id, given."clientId"),
        CASE WHEN pending.id IS NULL THEN given."visitorId" ELSE pending.visitor_id END,
        CASE WHEN pending.id IS NULL THEN given."visitorName" ELSE pending.visitor_name END,
        coalesce(pending.request_id, given."requestId"), given.bucket, given.key,
        given."campaignId", given.recipient, given.data, given.source
      FROM given LEFT JOIN pending ON pending.id = given.id
      ON CONFLICT (id) DO NOTHING RETURNING *
    ) ${insertDeliveriesOf("written")}
    ON CONFLICT (endpoint_id, event_id) DO NOTHING`);
}

/** Deletes a pending row. SQL, because `Events` has no other way to the database than `$driverQuery`. */
export async function deletePendingEvent(database: Run, id: string): Promise<void> {
  await database.$driverQuery(sql`DELETE FROM pending_events WHERE id = ${id}::uuid`);
}

/** An upload that the store holds, as one that was recorded. */
export type SeenUpload = NewEvent & {
  /** the mark of its object: the id of the event of the first content under it */
  id: string;
  occurredAt: string;
  source: string;
  /** a moment at which the store held it. ISO 8601 */
  seenAt: string;
};

/** A content that needs an event of its own, with the author of the first one. Its id is still to be made. */
const furtherUploadSchema = z.looseObject({
  mark: z.string(),
  /** in a bucket without versions: the id of the event before it about the same key, if there is one */
  previous: z.string().nullable(),
  occurredAt: z.string(),
  data: z.looseObject({ etag: z.string().optional(), version: z.string().optional() }),
});

/**
 * The last event about a key before an object was seen there, or the first one after. `etag` is that of the object that the event left at
 * the key; null if it left none.
 */
function neighbor(side: "before" | "after"): Sql {
  const [comparison, order] = side === "before" ? [sql`<=`, sql`DESC`] : [sql`>`, sql`ASC`];
  return sql`(
    SELECT id, etag, occurred_at FROM (
      (SELECT id, occurred_at, CASE WHEN type IN (${STORING}) THEN coalesce(data->>'etag', given.data->>'etag') END AS etag FROM events
        WHERE bucket = given.bucket AND key = given.key AND type IN ('file.deleted', ${STORING}) AND occurred_at ${comparison} given."seenAt"
        ORDER BY occurred_at ${order}, id ${order} LIMIT 1)
      UNION ALL
      (SELECT id, occurred_at, NULL AS etag FROM events
        WHERE bucket = given.bucket AND type = 'file.moved' AND data->>'from' = given.key AND occurred_at > first.occurred_at AND occurred_at ${comparison} given."seenAt"
        ORDER BY occurred_at ${order}, id ${order} LIMIT 1)
    ) AS events_of_key ORDER BY occurred_at ${order}, id ${order} LIMIT 1
  )`;
}

/**
 * Finds the uploads whose mark is the id of an event that tells of another content, or of the same one before it was deleted, moved away or
 * replaced. A URL has then stored something a second time. SQL, because of LATERAL: each upload is compared with its neighbors.
 *
 * - A version that has an event is not found. An event names no version if the store does not tell it (of an upload in parts), or if it is of a
 *   move that was cut off and repeated.
 * - Without versions, nothing is found if the events before and after say already that the key holds this content.
 * - While a copy, move or restore to the key is pending, nothing is found: it may have brought the object there, with its mark.
 * @param uploads those whose first events are written: the database then shows what each mark stands for
 */
export const findFurtherUploads = (database: Run, uploads: readonly SeenUpload[]) =>
  database.$driverQuery(
    sql`
      SELECT given.id AS mark, previous.id AS previous, given.source, given.bucket, given.key, given.data,
        greatest(given."occurredAt", previous.occurred_at + interval '1 ms')::text || 'Z' AS "occurredAt",
        first."companyId", first.client_id AS "clientId", first.visitor_id AS "visitorId", first.visitor_name AS "visitorName", first.request_id AS "requestId"
      FROM jsonb_to_recordset(${storable(uploads)}) AS given("occurredAt" timestamp, "seenAt" timestamp, source text, ${COLUMNS})
        JOIN events AS first ON first.id = given.id AND (first.bucket, first.key) = (given.bucket, given.key)
        LEFT JOIN LATERAL ${neighbor("before")} AS previous ON NOT given.data ? 'version'
        LEFT JOIN LATERAL ${neighbor("after")} AS next ON NOT given.data ? 'version'
      WHERE CASE WHEN given.data ? 'version'
          THEN NOT EXISTS (SELECT FROM events WHERE bucket = given.bucket AND key = given.key AND ${MADE_A_VERSION}
            AND (data->>'version' = given.data->>'version'
              OR NOT data ? 'version' AND data->>'etag' = given.data->>'etag' AND (id = given.id OR type <> 'file.uploaded')))
          ELSE previous.etag IS DISTINCT FROM given.data->>'etag' AND next.etag IS DISTINCT FROM given.data->>'etag' END
        AND NOT EXISTS (SELECT FROM pending_events AS pending
          WHERE pending.bucket = given.bucket AND pending.key = given.key AND pending.type <> 'file.uploaded')`,
    furtherUploadSchema,
  );
