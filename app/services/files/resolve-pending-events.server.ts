import { NIL } from "uuid";
import type { EventData, FileEventType } from "../../events/event";
import type { Events } from "../../events/events.server";
import { type Database, NOW } from "../../providers/database.server";
import { type ObjectVersion, unixSeconds } from "../../providers/listings.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { AppError } from "../../shared/app-error";
import { mapConcurrently } from "../../shared/map-concurrently";
import { versionsOfFile } from "./history/walk-versions";

/** No request lives this long: a change that is still pending then was interrupted. */
export const MIN_AGE_MINUTES = 15;
/** An upload may start until its URL expires, and may take long. After this time it counts as abandoned. */
export const ABANDONED_AFTER_HOURS = 24;
/** Times of objects have no fractions of a second, and the store's clock may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_CONCURRENT_LOOKUPS = 8;
const BATCH_EVENTS = 200;

/** A row of `begun_events`. */
interface PendingEvent {
  id: string;
  type: FileEventType;
  /** unix seconds */
  pendingSince: number;
  companyId: string;
  bucket: string;
  key: string;
  data: EventData;
}

/** What the store shows: the change has happened (at a time in unix seconds, if the store tells it), has not happened, or may still happen. */
type Finding = { type: FileEventType; seconds?: number; data: EventData } | "not made" | "open";

/**
 * Asks the store what became of changes that are still pending because a process was killed or the database was down.
 * @returns how many have happened, and how many have not; how many are left, because they may still happen (`open`), or because they are younger
 * than MIN_AGE_MINUTES (`recent`)
 * @throws AppError those of the store
 */
export async function resolvePendingEvents(
  { database, events, objectStore }: { database: Database; events: Events; objectStore: ObjectStore },
  stop: AbortSignal,
): Promise<{ made: number; notMade: number; open: number; recent: number }> {
  const count = { made: 0, notMade: 0, open: 0 };
  let after: string = NIL;
  while (!stop.aborted) {
    const batch = await database.$driverQuery<PendingEvent>(
      `SELECT id, type, extract(epoch FROM begun_at)::float8 AS "pendingSince", "companyId", bucket, key, data FROM begun_events
      WHERE begun_at < ${NOW} - make_interval(mins => $1) AND id > $2
      ORDER BY id LIMIT ${BATCH_EVENTS}`,
      [MIN_AGE_MINUTES, after],
    );
    const last = batch.at(-1);
    if (last === undefined) break;
    after = last.id;
    await mapConcurrently(batch, MAX_CONCURRENT_LOOKUPS, async (pending) => {
      const finding = await lookAt(pending, objectStore);
      if (finding === "open") {
        count.open += 1;
        return;
      }
      if (finding === "not made") {
        await events.discardPending(pending.id);
        count.notMade += 1;
        return;
      }
      const { id, bucket, key, companyId } = pending;
      const occurredAt = new Date((finding.seconds ?? pending.pendingSince) * 1000);
      const { type, data } = finding;
      await events.record({ id, type, bucket, key, companyId, data, occurredAt });
      count.made += 1;
    });
  }
  await events.flush();
  const [{ recent = 0 } = {}] = await database.$driverQuery<{ recent: number }>(
    `SELECT count(*)::int AS recent FROM begun_events WHERE begun_at >= ${NOW} - make_interval(mins => $1)`,
    [MIN_AGE_MINUTES],
  );
  return { ...count, recent };
}

async function lookAt(pending: PendingEvent, objectStore: ObjectStore): Promise<Finding> {
  try {
    return await findOutcome(pending, objectStore);
  } catch (error) {
    // A bucket that is gone, or that we may no longer read, will not tell. Others may.
    const isPermanent = error instanceof AppError && error.code !== "unavailable";
    if (isPermanent) return isAbandoned(pending) ? "not made" : "open";
    throw error;
  }
}

async function findOutcome(pending: PendingEvent, objectStore: ObjectStore): Promise<Finding> {
  const { id, type, pendingSince, bucket, key, data } = pending;
  const existing = await objectStore.describeObject({ bucket, key });
  const isNew = existing !== null && existing.modified >= pendingSince - CLOCK_TOLERANCE_SECONDS;
  switch (type) {
    case "file.uploaded": {
      if (existing?.uploadMark !== id) return isAbandoned(pending) ? "not made" : "open";
      const { size, etag, checksum, contentType, modified } = existing;
      return { type, seconds: modified, data: { ...data, size, etag, checksum, contentType } };
    }
    case "file.copied":
    case "file.moved": {
      if (!isNew || existing.size !== data.size) return "not made";
      const isMoved =
        type === "file.moved" &&
        (await objectStore.describeObject({ bucket, key: data.from ?? "" })) === null;
      const made = isMoved ? "file.moved" : "file.copied";
      return { type: made, seconds: existing.modified, data: { ...data, etag: existing.etag } };
    }
    case "file.deleted":
      return existing === null ? { type, data } : "not made";
    case "file.purged": {
      const version = await objectStore.describeObject({ bucket, key, versionId: data.version });
      return version === null ? { type, data } : "not made";
    }
    case "file.restored":
      return data.fromVersion === undefined
        ? findRemovedMarkers(pending, objectStore)
        : findRestoredCopy(pending, objectStore);
    default:
      // A folder that was created.
      return existing === null ? "not made" : { type, data };
  }
}

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

/** An older version was to be copied, and may have been overwritten or deleted since. */
async function findRestoredCopy(
  { type, bucket, key, data, pendingSince }: PendingEvent,
  objectStore: ObjectStore,
): Promise<Finding> {
  const copies: ObjectVersion[] = [];
  for await (const version of versionsOfFile({ bucket, key }, { objectStore })) {
    const isOlder = unixSeconds(version.lastModified) < pendingSince - CLOCK_TOLERANCE_SECONDS;
    if (isOlder || version.versionId === data.fromVersion) break;
    if (!version.isMarker && version.size === data.size) copies.push(version);
  }
  // A copy in parts has another ETag. The oldest one is the first that was made after the request.
  const copy = copies.findLast(({ etag }) => etag === data.etag) ?? copies.at(-1);
  if (copy === undefined) return "not made";
  return { type, seconds: unixSeconds(copy.lastModified), data: { ...data, etag: copy.etag } };
}

const isAbandoned = ({ pendingSince }: PendingEvent) =>
  Date.now() / 1000 - pendingSince > ABANDONED_AFTER_HOURS * 3600;
