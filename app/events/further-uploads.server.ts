import type { Database } from "../providers/database.server";
import type { EventData, NewEvent } from "./event";
import { COLUMNS, MADE_A_VERSION, STORING, storable } from "./event-statements.server";

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
export interface FurtherUpload {
  mark: string;
  /** in a bucket without versions: the id of the event before it about the same key, if there is one */
  previous: string | null;
  occurredAt: string;
  data: EventData;
}

/**
 * The last event about a key before an object was seen there, or the first one after. `etag` is that of the object that the event left at
 * the key; null if it left none.
 */
const neighbor = (comparison: "<=" | ">", order: "ASC" | "DESC") => `(
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

const FIND_FURTHER_UPLOADS = `
  SELECT given.id AS mark, previous.id AS previous, given.source, given.bucket, given.key, given.data,
    greatest(given."occurredAt", previous.occurred_at + interval '1 ms')::text || 'Z' AS "occurredAt",
    first."companyId", first.client_id AS "clientId", first.visitor_id AS "visitorId", first.visitor_name AS "visitorName", first.request_id AS "requestId"
  FROM jsonb_to_recordset($1) AS given("occurredAt" timestamp, "seenAt" timestamp, source text, ${COLUMNS})
    JOIN events AS first ON first.id = given.id AND (first.bucket, first.key) = (given.bucket, given.key)
    LEFT JOIN LATERAL ${neighbor("<=", "DESC")} AS previous ON NOT given.data ? 'version'
    LEFT JOIN LATERAL ${neighbor(">", "ASC")} AS next ON NOT given.data ? 'version'
  WHERE CASE WHEN given.data ? 'version'
      THEN NOT EXISTS (SELECT FROM events WHERE bucket = given.bucket AND key = given.key AND ${MADE_A_VERSION}
        AND (data->>'version' = given.data->>'version'
          OR NOT data ? 'version' AND data->>'etag' = given.data->>'etag' AND (id = given.id OR type <> 'file.uploaded')))
      ELSE previous.etag IS DISTINCT FROM given.data->>'etag' AND next.etag IS DISTINCT FROM given.data->>'etag' END
    AND NOT EXISTS (SELECT FROM pending_events AS pending
      WHERE pending.bucket = given.bucket AND pending.key = given.key AND pending.type <> 'file.uploaded')`;

/**
 * Finds the uploads whose mark is the id of an event that tells of another content, or of the same one before it was deleted, moved away or
 * replaced. A URL has then stored something a second time.
 *
 * - A version that has an event is not found. An event names no version if the store does not tell it (of an upload in parts), or if it is of a
 *   move that was cut off and repeated.
 * - Without versions, nothing is found if the events before and after say already that the key holds this content.
 * - While a copy, move or restore to the key is pending, nothing is found: it may have brought the object there, with its mark.
 * @param uploads those whose first events are written: the database then shows what each mark stands for
 */
export async function findFurtherUploads(
  uploads: readonly SeenUpload[],
  database: Pick<Database, "$driverQuery">,
): Promise<FurtherUpload[]> {
  return database.$driverQuery<FurtherUpload>(FIND_FURTHER_UPLOADS, [storable(uploads)]);
}
