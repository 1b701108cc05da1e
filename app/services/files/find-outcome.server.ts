/* What became of a change whose outcome is not recorded: what the store and later events show. */
import type { EventData, FileEventType } from "../../events/event";
import { CLOCK_TOLERANCE_SECONDS, type ObjectVersion, unixSeconds } from "../../providers/listings.server";
import { keptVersion, type ObjectDescription, type ObjectName } from "../../providers/object-changes.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { hasCode } from "../../shared/app-error";
import { wasUploadedSince } from "./changes/was-uploaded-since.server";
import { hasEvent, type SameData, wasNamedAt } from "./pending-events.sql.server";
import type { PendingEvent, ResolveTools } from "./place/pending-event";
import { versionsOfFile } from "./place/walk-versions";

/** No request lives longer. */
const MAX_REQUEST_SECONDS = 120;

/**
 * What the store and the record show:
 *
 * - The change has happened, at a time in unix seconds, if the store tells it. `data.assumed`: nothing proves it, and nothing else
 *   explains what is found.
 * - `not made`: it has not happened.
 * - `recorded`: it has an event already. A repeated request has left the row.
 */
export type Finding = { type: FileEventType; seconds?: number; data: EventData } | "not made" | "recorded";

/** @throws AppError those of the store */
export async function findOutcome(pending: PendingEvent, tools: ResolveTools): Promise<Finding> {
  const { type, bucket, key, data } = pending;
  const { objectStore } = tools;
  switch (type) {
    case "file.copied":
    case "file.moved":
      return data.restoredVersion === undefined ? findCopy(pending, tools) : findMoveBack(pending, tools);
    case "file.deleted":
      return findDeletion(pending, tools);
    case "file.purged": {
      const version = await objectStore.describeObject({ bucket, key, versionId: data.version });
      if (version !== null) return "not made";
      return (await isRecordedAs(pending, { version: data.version ?? null }, tools))
        ? "recorded"
        : { type, data };
    }
    case "file.restored":
      return data.fromVersion === undefined
        ? findRemovedMarkers(pending, objectStore)
        : findRestoredCopy(pending, tools);
    default: {
      // A folder that was created.
      if ((await objectStore.describeObject({ bucket, key })) === null) return "not made";
      return (await isRecordedAs(pending, {}, tools)) ? "recorded" : { type, data };
    }
  }
}

/**
 * Whether the same change has an event that was written by another attempt of the same request: at most that long before this one began.
 * @param since unix seconds
 */
const isRecordedAs = (
  pending: Pick<PendingEvent, "type" | "bucket" | "key" | "pendingSince">,
  data: SameData,
  { database }: ResolveTools,
  since = pending.pendingSince - MAX_REQUEST_SECONDS,
): Promise<boolean> => hasEvent(database, pending, data, since);

/**
 * A copy, or a move. The target may have been replaced, moved on or deleted since: then a version proves it, or a later event that names
 * what was there. A bucket that keeps no versions may show only that the source of a move is gone.
 */
async function findCopy(pending: PendingEvent, tools: ResolveTools): Promise<Finding> {
  const { type, pendingSince, bucket, data } = pending;
  const copy = await findMadeCopy(pending, tools);
  const isSourceGone = type === "file.moved" && (await isSourceDeleted(pending, tools));
  const made = isSourceGone ? "file.moved" : "file.copied";
  const since = copy && unixSeconds(copy.lastModified) - CLOCK_TOLERANCE_SECONDS;
  if (await isRecordedAs({ ...pending, type: made }, { from: data.from ?? null }, tools, since))
    return "recorded";
  if (copy !== undefined)
    return { type: made, seconds: unixSeconds(copy.lastModified), data: { ...data, ...contentOf(copy) } };
  if (await wasAtTarget(pending, tools)) return { type: made, data };
  if (!isSourceGone || (await tools.objectStore.keepsVersions(bucket))) return "not made";
  const isExplained = await isRecordedAs(
    { ...pending, type: "file.deleted", key: data.from ?? "" },
    {},
    tools,
    pendingSince - CLOCK_TOLERANCE_SECONDS,
  );
  return isExplained ? "not made" : { type, data: { ...data, assumed: true } };
}

/** Whether the source of a move is gone, or was deleted by it and has been stored anew since. */
async function isSourceDeleted(
  { bucket, data: { from = "", etag }, pendingSince }: PendingEvent,
  { objectStore }: ResolveTools,
): Promise<boolean> {
  if ((await objectStore.describeObject({ bucket, key: from })) === null) return true;
  if (etag === undefined) return false;
  let above: ObjectVersion | undefined;
  for await (const version of listedVersions({ bucket, key: from }, objectStore)) {
    const isSource = !version.isMarker && version.etag === etag;
    if (isSource && above?.isMarker && isSince(above, pendingSince)) return true;
    above = version;
  }
  return false;
}

/** Whether later events name the content as what the target of a copy had. */
async function wasAtTarget(
  { bucket, key, data: { etag }, pendingSince }: PendingEvent,
  { database }: ResolveTools,
): Promise<boolean> {
  return etag !== undefined && wasNamedAt(database, { bucket, key, etag }, pendingSince);
}

/** A deletion: by its delete marker, which later changes leave in place; otherwise the object is gone. */
async function findDeletion(pending: PendingEvent, tools: ResolveTools): Promise<Finding> {
  const { type, bucket, key, data, pendingSince } = pending;
  const latest = pendingSince + MAX_REQUEST_SECONDS;
  for await (const version of listedVersions({ bucket, key }, tools.objectStore)) {
    if (!isSince(version, pendingSince)) break;
    if (!version.isMarker || unixSeconds(version.lastModified) > latest) continue;
    const { versionId, lastModified } = version;
    if (await isRecordedAs(pending, { version: versionId }, tools)) return "recorded";
    return { type, seconds: unixSeconds(lastModified), data: { ...data, version: versionId } };
  }
  if ((await tools.objectStore.describeObject({ bucket, key })) !== null) return "not made";
  const isSameRecorded = await isRecordedAs(pending, { etag: data.etag ?? null }, tools);
  return isSameRecorded ? "recorded" : { type, data };
}

/** The versions of a file, newest first. Empty if they may not be read. */
async function* listedVersions(object: ObjectName, objectStore: ObjectStore): AsyncGenerator<ObjectVersion> {
  try {
    yield* versionsOfFile(object, { objectStore });
  } catch (error) {
    if (!hasCode(error, "provider_failed")) throw error;
  }
}

const isSince = ({ lastModified }: Pick<ObjectVersion, "lastModified">, pendingSince: number) =>
  unixSeconds(lastModified) >= pendingSince - CLOCK_TOLERANCE_SECONDS;

/**
 * Delete markers above a version were to be removed. The version or marker directly above it now tells whether they are gone, whatever happened
 * to the file later.
 */
async function findRemovedMarkers(
  { type, bucket, key, data, pendingSince }: PendingEvent,
  objectStore: ObjectStore,
): Promise<Finding> {
  let above: ObjectVersion | undefined;
  for await (const version of versionsOfFile({ bucket, key }, { objectStore })) {
    if (version.versionId !== data.version) {
      above = version;
      continue;
    }
    // A younger delete marker is of another deletion. A restore often follows its deletion within seconds.
    const isHidden =
      above?.isMarker && unixSeconds(above.lastModified) <= pendingSince + CLOCK_TOLERANCE_SECONDS;
    return isHidden ? "not made" : { type, data };
  }
  return "not made";
}

/**
 * A move back: the delete marker `data.version` was to be removed, so that the version below it is the newest again, and then the file at the
 * other place.
 */
async function findMoveBack(pending: PendingEvent, tools: ResolveTools): Promise<Finding> {
  const { bucket, key } = pending;
  const { version: versionId, ...data } = pending.data;
  // Without it, an earlier attempt had removed the marker.
  const marker =
    versionId === undefined ? null : await tools.objectStore.describeVersion({ bucket, key, versionId });
  if (marker !== null) return "not made";
  const type = (await isSourceDeleted(pending, tools)) ? "file.moved" : "file.restored";
  const same = { restoredVersion: data.restoredVersion ?? null };
  if (await isRecordedAs({ ...pending, type }, same, tools)) return "recorded";
  return { type, data };
}

/** An older version was to be copied, and may have been overwritten or deleted since. */
async function findRestoredCopy(pending: PendingEvent, tools: ResolveTools): Promise<Finding> {
  const { type, data } = pending;
  const copy = await findMadeCopy(pending, tools);
  if (copy === undefined) return "not made";
  const since = unixSeconds(copy.lastModified) - CLOCK_TOLERANCE_SECONDS;
  if (await isRecordedAs(pending, { fromVersion: data.fromVersion ?? null }, tools, since)) return "recorded";
  return { type, seconds: unixSeconds(copy.lastModified), data: { ...data, ...contentOf(copy) } };
}

/** `versionId`: undefined if the bucket never kept versions */
type MadeCopy = Pick<ObjectDescription, "etag" | "versionId"> & Pick<ObjectVersion, "lastModified">;

const contentOf = ({ etag, versionId }: MadeCopy) => ({ etag, version: keptVersion(versionId) });

/** The content that a copy has made at its target, among what was stored there since. */
async function findMadeCopy(
  { bucket, key, data, pendingSince }: PendingEvent,
  { objectStore, database }: ResolveTools,
): Promise<MadeCopy | undefined> {
  /** Of what somebody has uploaded there since, some has the size of the copy. */
  const isUpload = (found: ObjectDescription | null) =>
    found !== null && wasUploadedSince({ ...found, bucket, key }, pendingSince, database);
  const copies: ObjectVersion[] = [];
  let isListed = false;
  for await (const version of listedVersions({ bucket, key }, objectStore)) {
    isListed = true;
    if (!isSince(version, pendingSince) || version.versionId === data.fromVersion) break;
    if (version.isMarker || version.size !== data.size) continue;
    const { versionId } = version;
    if (!(await isUpload(await objectStore.describeObject({ bucket, key, versionId })))) copies.push(version);
  }
  if (!isListed) {
    // Some stores or credentials do not list versions.
    const current = await objectStore.describeObject({ bucket, key });
    const lastModified = new Date((current?.modified ?? 0) * 1000);
    const isCopy = current?.size === data.size && isSince({ lastModified }, pendingSince);
    if (current !== null && isCopy && !(await isUpload(current)))
      return { etag: current.etag, versionId: current.versionId, lastModified };
  }
  // A copy in parts has another ETag. The oldest one is the first that was made after the request.
  return copies.findLast(({ etag }) => etag === data.etag) ?? copies.at(-1);
}
