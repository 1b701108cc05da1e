import type { ServiceTools } from "../../../embed/service";
import type { Visitor } from "../../../embed/visitor";
import type { EventData, FileEventType } from "../../../events/event";
import type { ObjectVersion } from "../../../providers/listings.server";
import { logWarning } from "../../../shared/log.server";
import { groupByKey } from "../place/walk-versions";

/** maximum number of events that one lookup reads, newest first */
const MAX_EVENTS = 5_000;
/** An event without a version is matched by ETag and time. The event's time may differ from the store's by this much. */
const MAX_DIFFERENCE_MS = 120_000;

const types = {
  /** events of changes that create a version */
  made: ["file.uploaded", "file.copied", "file.moved", "file.restored"],
  /** events of changes that create a delete marker */
  deleted: ["file.deleted"],
} as const satisfies Record<string, FileEventType[]>;

interface Row {
  key: string;
  data: EventData;
  occurredAt: Date;
  visitorId: string | null;
  visitorName: string | null;
}

/**
 * Looks up who made versions or delete markers, in the company's events. If the database is down, no visitor is found.
 * @returns a function that returns the visitor who made a version; undefined if no event names one
 */
export async function findAuthors(
  {
    companyId,
    bucket,
    keys,
    of,
  }: { companyId: string; bucket: string; keys: readonly string[]; of: keyof typeof types },
  { database, context }: Pick<ServiceTools, "database" | "context">,
): Promise<(version: ObjectVersion) => Visitor | undefined> {
  if (keys.length === 0) return () => undefined;
  const rows = await database
    .$driverQuery<Row>(
      `SELECT key, data, occurred_at AS "occurredAt", visitor_id AS "visitorId", visitor_name AS "visitorName" FROM events
      WHERE key = ANY($1) AND bucket = $2 AND "companyId" = $3 AND type = ANY($4) AND NOT data ? 'restoredVersion'
        AND visitor_id IS NOT NULL
      ORDER BY occurred_at DESC LIMIT ${MAX_EVENTS}`,
      [keys, bucket, companyId, types[of]],
    )
    .catch((error: unknown) => {
      logWarning(`Could not look up who made these versions. ${error}`, context);
      return [];
    });
  const byKey = groupByKey(rows);
  return ({ key, versionId, etag, lastModified }) => {
    const isOfVersion = ({ data, occurredAt }: Row) => {
      if (data.version !== undefined) return data.version === versionId;
      const difference = Math.abs(occurredAt.getTime() - lastModified.getTime());
      return etag !== "" && data.etag === etag && difference <= MAX_DIFFERENCE_MS;
    };
    const row = byKey.get(key)?.find(isOfVersion);
    return row?.visitorId
      ? { id: row.visitorId, ...(row.visitorName && { name: row.visitorName }) }
      : undefined;
  };
}
