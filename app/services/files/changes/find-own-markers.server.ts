import type { ServiceTools } from "../../../embed/service";
import type { Author } from "../../../events/event";
import { storableText } from "../../../shared/storable-text";

/** A delete marker; without `marker`, it is the version of an object. */
interface Marker {
  key: string;
  marker: string | undefined;
}

/**
 * $1: the markers. $2: their bucket. $3 to $5: the author's company, embed client and visitor, or null. A deletion whose process was killed,
 * or which is not finished yet, has no event. Then its pending row tells whose it is.
 */
const OWN_MARKERS = `
  SELECT asked.key, asked.marker FROM jsonb_to_recordset($1) AS asked(key text, marker text)
  CROSS JOIN LATERAL (
    SELECT count(*) AS recorded, count(*) FILTER (WHERE client_id = $4 AND visitor_id IS NOT DISTINCT FROM $5) AS own FROM events
    WHERE key = asked.key COLLATE "C" AND bucket = $2 AND "companyId" = $3 AND type = 'file.deleted' AND data->>'version' = asked.marker
  ) AS deletions
  WHERE own > 0 OR recorded = 0 AND EXISTS (
    SELECT FROM pending_events
    WHERE bucket = $2 AND key = asked.key COLLATE "C" AND "companyId" = $3 AND type = 'file.deleted'
      AND client_id = $4 AND visitor_id IS NOT DISTINCT FROM $5
  )`;

/**
 * Finds out which delete markers the author's deletions have made: those of the same API key and visitor. Others are somebody else's, or a
 * move's, however young they are.
 * @returns a function that tells whether a marker is the author's
 * @throws AppError `unavailable`
 */
export async function findOwnMarkers(
  bucket: string,
  versions: readonly Marker[],
  { companyId, clientId, visitorId }: Author,
  { database }: Pick<ServiceTools, "database">,
): Promise<(version: Marker) => boolean> {
  const markers = versions.flatMap(({ key, marker }) =>
    marker === undefined ? [] : { key: storableText(key), marker },
  );
  if (markers.length === 0) return () => false;
  const values = [JSON.stringify(markers), bucket, companyId, clientId, visitorId ?? null];
  const own = await database.$driverQuery<{ key: string; marker: string }>(OWN_MARKERS, values);
  return ({ key, marker }) => own.some((one) => one.key === storableText(key) && one.marker === marker);
}
