/**
 * The part of a statement that adds a delivery for each endpoint that takes an event. It ends within its WHERE, so that conditions and
 * ON CONFLICT may follow. docs/decisions/0114
 * Thumbnails are left out: opening one folder signs a hundred.
 * @param events the name of a table or a CTE with the columns of `events`
 */
export const insertDeliveriesOf = (events: string) => `
  INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, source_subject, next_attempt_at, created_at)
  SELECT endpoint.id, event.id, md5(concat_ws(chr(31), bucket, key, database_id, campaign_id, recipient))::uuid,
    CASE WHEN data ? 'from' THEN md5(concat_ws(chr(31), bucket, data->>'from'))::uuid END,
    now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC'
  FROM ${events} AS event JOIN webhook_endpoints AS endpoint ON endpoint."companyId" = event."companyId"
    AND endpoint.disabled_at IS NULL AND endpoint.types && ARRAY[type, split_part(type, '.', 1) || '.*', '*']
  WHERE data->>'purpose' IS DISTINCT FROM 'thumbnail'`;
