import type { ServiceTools } from "../../../embed/service";
import type { Visitor } from "../../../embed/visitor";
import type { FileEventType } from "../../../events/event";
import type { ObjectVersion } from "../../../providers/listings.server";
import { logWarning } from "../../../shared/log.server";
import { groupByKey } from "../place/walk-versions";
import { type AuthoredEvent, findAuthoredEvents } from "./history.sql.server";

/** An event without a version is matched by ETag and time. The event's time may differ from the store's by this much. */
const MAX_DIFFERENCE_MS = 120_000;

const types = {
  /** events of changes that create a version */
  made: ["file.uploaded", "file.copied", "file.moved", "file.restored"],
  /** events of changes that create a delete marker */
  deleted: ["file.deleted"],
} as const satisfies Record<string, FileEventType[]>;

/**
 * Looks up who made versions or delete markers, in the company's events. If the database is down, no visitor is found.
 * @returns a function that returns the visitor who made one of these versions; undefined if no event names one
 */
export async function findAuthors(
  {
    companyId,
    bucket,
    versions,
    of,
  }: { companyId: string; bucket: string; versions: readonly ObjectVersion[]; of: keyof typeof types },
  { database, context }: Pick<ServiceTools, "database" | "context">,
): Promise<(version: ObjectVersion) => Visitor | undefined> {
  if (versions.length === 0) return () => undefined;
  const place = { companyId, bucket, keys: [...new Set(versions.map(({ key }) => key))] };
  const times = versions.map(({ lastModified }) => lastModified.getTime());
  const about = {
    versionIds: versions.map(({ versionId }) => versionId),
    since: new Date(Math.min(...times) - MAX_DIFFERENCE_MS),
    until: new Date(Math.max(...times) + MAX_DIFFERENCE_MS),
  };
  const rows = await findAuthoredEvents(database, place, types[of], about).catch((error: unknown) => {
    logWarning(`Could not look up who made these versions. ${error}`, context);
    return [];
  });
  const byKey = groupByKey(rows);
  return ({ key, versionId, etag, lastModified }) => {
    const isOfVersion = ({ data, occurredAt }: AuthoredEvent) => {
      if (data.version !== undefined) return data.version === versionId;
      const difference = Math.abs(occurredAt.getTime() - lastModified.getTime());
      return etag !== "" && data.etag === etag && difference <= MAX_DIFFERENCE_MS;
    };
    const row = byKey.get(key)?.find(isOfVersion);
    return row && { id: row.visitorId, ...(row.visitorName && { name: row.visitorName }) };
  };
}
