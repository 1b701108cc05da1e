/* The statements that write events. events.server.ts says when. */
import { IS_LIVE } from "../embed/embed-clients.server";
import { NOW } from "../providers/database.server";
import { storableText } from "../shared/storable-text";

/** Members of an event as columns of a JSON recordset. */
export const COLUMNS = `id uuid, type text, "companyId" text, "clientId" text, "visitorId" text, "visitorName" text, "requestId" text,
  bucket text, key text, data jsonb`;

/** In SQL: types of events that leave an object at their key. */
export const STORING = "'file.uploaded', 'file.copied', 'file.moved', 'file.restored'";

/** In SQL: an event has made a version. Undoing a deletion makes none, nor does moving back: such an event names a version that was there. */
export const MADE_A_VERSION = `type IN (${STORING}) AND (type <> 'file.restored' OR data ? 'fromVersion') AND NOT data ? 'restoredVersion'`;

/** A repeated attempt keeps the row of the first one. The author is that of the last attempt. */
export const RECORD_PENDING = `
  INSERT INTO pending_events (id, change, type, pending_since, "companyId", client_id, visitor_id, visitor_name, request_id, bucket, key, data)
  SELECT id, change, type, ${NOW}, "companyId", "clientId", "visitorId", "visitorName", "requestId", bucket, key, data
  FROM jsonb_to_recordset($1) AS given(change text, ${COLUMNS})
  ON CONFLICT (change) DO UPDATE SET client_id = excluded.client_id, visitor_id = excluded.visitor_id,
    visitor_name = excluded.visitor_name, request_id = excluded.request_id, data = pending_events.data || excluded.data
  RETURNING id, change`;

/**
 * The part of a statement that adds a delivery for each endpoint that takes an event, unless the key that created it has ended. It ends
 * within its WHERE, so that conditions and ON CONFLICT may follow. docs/decisions/0114
 * Thumbnails are left out: opening one folder signs a hundred.
 * @param events the name of a table or a CTE with the columns of `events`
 */
export const insertDeliveriesOf = (events: string) => `
  INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, source_subject, next_attempt_at, created_at)
  SELECT endpoint.id, event.id, md5(concat_ws(chr(31), bucket, key, database_id, campaign_id, recipient))::uuid,
    CASE WHEN data ? 'from' THEN md5(concat_ws(chr(31), bucket, data->>'from'))::uuid END,
    ${NOW}, ${NOW}
  FROM ${events} AS event JOIN webhook_endpoints AS endpoint ON endpoint."companyId" = event."companyId"
    AND endpoint.disabled_at IS NULL AND endpoint.types && ARRAY[type, split_part(type, '.', 1) || '.*', '*']
  WHERE data->>'purpose' IS DISTINCT FROM 'thumbnail'
    AND EXISTS (SELECT FROM embed_clients AS client WHERE client.id = endpoint.client_id AND ${IS_LIVE})`;

/**
 * - `given`: the events to write, except those of uploads that are none, because a copied object keeps its source's upload mark: the mark's
 *   pending row has another key, or a copy, a move or a restoring has made this version. `npm run cleanup` finds the version of the upload.
 * - `pending`: the pending rows. The author is taken from them, not from whoever reports the change.
 * - `ended`: deletes them, except those of uploads: a URL may be used again.
 * - `written`: inserts the events. One whose id exists is left as it is, and goes to no webhook again.
 */
export const RECORD = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($1)
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
  ON CONFLICT (endpoint_id, event_id) DO NOTHING`;

/** Rows as the parameter of a statement: JSON. */
export function storable(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? storableText(value) : value,
  );
}
