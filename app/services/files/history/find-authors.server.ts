import type { ServiceTools } from "../../../embed/service";
import type { Visitor } from "../../../embed/visitor";
import type { EventData, FileEventType } from "../../../events/event";
import type { ObjectVersion } from "../../../providers/listings.server";
import { logWarning } from "../../../shared/log.server";

/** events that one lookup reads at most, newest first */
const MAX_EVENTS = 5_000;
/** Without its version, an event is recognized by the ETag and by the time: it may be recorded this long after the store's. */
const MAX_DIFFERENCE_MS = 120_000;

const types = {
  /** what makes a version */
  made: ["file.uploaded", "file.copied", "file.moved", "file.restored"],
  /** what makes a delete marker */
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
 * Looks up who made versions or delete markers. Only events of the company tell. If the database is away, nobody is known.
 * @returns finds the visitor of one version
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
  const rows = await database
    .$driverQuery<Row>(
      `SELECT key, data, occurred_at AS "occurredAt", visitor_id AS "visitorId", visitor_name AS "visitorName" FROM events
      WHERE key = ANY($1) AND bucket = $2 AND "companyId" = $3 AND type = ANY($4) AND visitor_id IS NOT NULL
      ORDER BY occurred_at DESC LIMIT ${MAX_EVENTS}`,
      [keys, bucket, companyId, types[of]],
    )
    .catch((error: unknown) => {
      const { requestId } = context;
      logWarning(`Who made these versions is unknown: the database cannot be asked. ${error}`, { requestId });
      return [];
    });
  return ({ key, versionId, etag, lastModified }) => {
    const isOfVersion = ({ data, occurredAt, ...row }: Row) => {
      if (row.key !== key) return false;
      if (data.version !== undefined) return data.version === versionId;
      const difference = Math.abs(occurredAt.getTime() - lastModified.getTime());
      return etag !== "" && data.etag === etag && difference <= MAX_DIFFERENCE_MS;
    };
    const row = rows.find(isOfVersion);
    return row?.visitorId
      ? { id: row.visitorId, ...(row.visitorName && { name: row.visitorName }) }
      : undefined;
  };
}
