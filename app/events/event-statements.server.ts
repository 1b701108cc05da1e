/* The statements that write events. events.server.ts says when. */
import { IS_LIVE } from "../embed/embed-clients.server";
import { NOW } from "../providers/database.server";

/** In SQL: types of events that leave an object at their key. */
export const STORING = "'file.uploaded', 'file.copied', 'file.moved', 'file.restored'";

/** In SQL: an event has made a version. Undoing a deletion makes none, nor does moving back: such an event names a version that was there. */
export const MADE_A_VERSION = `type IN (${STORING}) AND (type <> 'file.restored' OR data ? 'fromVersion') AND NOT data ? 'restoredVersion'`;

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
