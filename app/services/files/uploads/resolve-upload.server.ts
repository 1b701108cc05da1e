import { keptVersion, type ObjectDescription } from "../../../providers/object-changes.server";
import { isAbandoned, type PendingEvent, type ResolveTools } from "../place/pending-event";
import { dataOfUpload, findUploads } from "./find-uploads.server";
import { findContentsOf, findRecordedVersions, findTargets, markChecked } from "./uploads.sql.server";

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
  await markChecked(database, id);
  return isRecorded ? "repeatable" : "made";
}

/** The oldest first: whether a content is another one depends on what was recorded before it. */
async function findContents(pending: PendingEvent, tools: ResolveTools): Promise<StoredContent[]> {
  const { id, pendingSince, bucket, key } = pending;
  const { objectStore } = tools;
  const seenAt = new Date();
  const versions: StoredContent[] = [];
  const options = {
    recorded: await findRecordedVersions(tools.database, pending),
    versions: { left: Number.POSITIVE_INFINITY },
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

/**
 * Copies of an upload have its mark, also if it was moved before anybody told of it.
 * @returns those whose contents are not recorded at the key of the upload
 */
async function findCopies(
  { id, pendingSince, bucket, key }: PendingEvent,
  { database, objectStore }: ResolveTools,
): Promise<StoredContent[]> {
  const targets = await findTargets(database, { bucket, key }, pendingSince);
  if (targets.length === 0) return [];
  const known = await findContentsOf(database, { bucket, key }, pendingSince);
  // An upload in parts has one content, and the ETag of a copy is another one.
  if (known.some((event) => event.id === id && event.etag?.includes("-"))) return [];
  const contents: StoredContent[] = [];
  for (const target of targets) {
    const copy = await objectStore.describeObject({ bucket, key: target.key });
    if (copy?.uploadMark !== id || copy.etag !== target.etag) continue;
    const isKnown = known.some(
      ({ etag, checksum }) => etag === copy.etag || (checksum !== null && checksum === copy.checksum),
    );
    if (isKnown) continue;
    const before = new Date(Date.parse(target.leftAt) - 1);
    contents.push({ found: { ...copy, versionId: undefined }, occurredAt: before, seenAt: before });
  }
  return contents.sort((one, other) => one.seenAt.getTime() - other.seenAt.getTime());
}
