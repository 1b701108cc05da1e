import { MADE_A_VERSION, STORING } from "../../../events/event-statements.server";
import { keptVersion, type ObjectDescription } from "../../../providers/object-changes.server";
import { isAbandoned, type PendingEvent, type ResolveTools } from "../place/pending-event";
import { dataOfUpload, findUploads } from "./find-uploads.server";

/** The member of a recorded upload's data that says that cleanup has looked for further contents. It does so once more before the row goes. */
export const CHECKED = "checked";

/** A content that an upload has stored. */
interface StoredContent {
  found: ObjectDescription;
  occurredAt: Date;
  /** as `recordUpload` takes it */
  seenAt: Date;
}

/**
 * Writes an event for each content that an upload has stored, and that the store still has.
 * @throws AppError those of the store
 */
export async function resolveUpload(
  pending: PendingEvent,
  tools: ResolveTools,
): Promise<"made" | "recorded" | "notMade" | "open" | "repeatable"> {
  const { id, type, bucket, key, companyId, isRecorded } = pending;
  const { database, events } = tools;
  const contents = await findContents(pending, tools);
  for (const { found, ...times } of contents) {
    const event = { id, type, bucket, key, companyId, data: dataOfUpload(found) };
    await events.recordUpload({ ...event, ...times });
  }
  const isStored = isRecorded || contents.length > 0;
  if (isAbandoned(pending)) {
    await events.flush();
    await events.discardPending(id);
    if (isRecorded) return "recorded";
    return isStored ? "made" : "notMade";
  }
  if (!isStored) return "open";
  await database.$driverQuery(
    `UPDATE pending_events SET data = data || '{"${CHECKED}": true}' WHERE id = $1`,
    [id],
  );
  return isRecorded ? "repeatable" : "made";
}

/** The oldest first: whether a content is another one depends on what was recorded before it. */
async function findContents(pending: PendingEvent, tools: ResolveTools): Promise<StoredContent[]> {
  const { id, pendingSince, bucket, key } = pending;
  const { objectStore } = tools;
  const seenAt = new Date();
  const versions: StoredContent[] = [];
  const options = {
    recorded: await findRecordedVersions(pending, tools),
    maxVersions: Number.POSITIVE_INFINITY,
  };
  for await (const found of findUploads({ bucket, key }, pendingSince, { objectStore }, options)) {
    if (found.uploadMark !== id || keptVersion(found.versionId) === undefined) continue;
    versions.unshift({ found, occurredAt: found.storedAt, seenAt });
  }
  if (versions.length > 0) return versions;
  // The bucket keeps no versions, or they may not be listed, or all have their events.
  const contents = await findCopies(pending, tools);
  const current = await objectStore.describeObject({ bucket, key });
  if (current?.uploadMark === id)
    // At the end of the second that the store tells: whatever has happened to the key in that second came before.
    contents.push({
      found: current,
      occurredAt: new Date(Math.min(seenAt.getTime(), current.modified * 1000 + 999)),
      seenAt,
    });
  return contents;
}

async function findRecordedVersions(
  { bucket, key }: PendingEvent,
  { database }: ResolveTools,
): Promise<ReadonlySet<string>> {
  const rows = await database.$driverQuery<{ version: string }>(
    `SELECT data->>'version' AS version FROM events WHERE bucket = $1 AND key = $2 AND data ? 'version' AND ${MADE_A_VERSION}`,
    [bucket, key],
  );
  return new Set(rows.map(({ version }) => version));
}

/** A place that copies, moves and restores have brought the content of a key to, at last. */
interface Place {
  key: string;
  /** of what was brought there */
  etag: string | null;
  /** ISO 8601: when it left the key of the upload */
  leftAt: string;
}

const BROUGHT = "type IN ('file.copied', 'file.moved', 'file.restored')";

/** $1: the bucket. $2: the key. $3: unix seconds. */
const FIND_PLACES = `
  WITH RECURSIVE brought AS (
    SELECT key, occurred_at, data->>'etag' AS etag, occurred_at AS left_at FROM events
    WHERE bucket = $1 AND occurred_at >= to_timestamp($3) AT TIME ZONE 'utc' AND ${BROUGHT} AND data->>'from' = $2
    UNION
    SELECT events.key, events.occurred_at, events.data->>'etag', left_at FROM brought JOIN events
      ON bucket = $1 AND events.occurred_at >= brought.occurred_at AND ${BROUGHT} AND data->>'from' = brought.key
  )
  SELECT DISTINCT ON (key) key, etag, to_char(left_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "leftAt"
  FROM brought WHERE key <> $2
  ORDER BY key, occurred_at DESC, left_at DESC`;

/** $1 to $3 as in FIND_PLACES. What the record says that the key has held. */
const FIND_KNOWN = `
  SELECT id, data->>'etag' AS etag, data->>'checksum' AS checksum FROM events
  WHERE bucket = $1 AND key = $2 AND occurred_at >= to_timestamp($3) AT TIME ZONE 'utc' AND type IN (${STORING})`;

/**
 * Copies of an upload have its mark, also if it was moved before anybody told of it.
 * @returns those whose contents are not recorded at the key of the upload
 */
async function findCopies(
  { id, pendingSince, bucket, key }: PendingEvent,
  { database, objectStore }: ResolveTools,
): Promise<StoredContent[]> {
  const values = [bucket, key, pendingSince];
  const places = await database.$driverQuery<Place>(FIND_PLACES, values);
  if (places.length === 0) return [];
  const known = await database.$driverQuery<{ id: string; etag: string | null; checksum: string | null }>(
    FIND_KNOWN,
    values,
  );
  // An upload in parts has one content, and the ETag of a copy is another one.
  if (known.some((event) => event.id === id && event.etag?.includes("-"))) return [];
  const contents: StoredContent[] = [];
  for (const place of places) {
    const copy = await objectStore.describeObject({ bucket, key: place.key });
    if (copy?.uploadMark !== id || copy.etag !== place.etag) continue;
    const isKnown = known.some(
      ({ etag, checksum }) => etag === copy.etag || (checksum !== null && checksum === copy.checksum),
    );
    if (isKnown) continue;
    const before = new Date(Date.parse(place.leftAt) - 1);
    contents.push({ found: { ...copy, versionId: undefined }, occurredAt: before, seenAt: before });
  }
  return contents.sort((one, other) => one.seenAt.getTime() - other.seenAt.getTime());
}
