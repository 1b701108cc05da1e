import { isInside } from "platform-embed-element/client";
import { z } from "zod";
import type { ChangedObjects } from "../../catalogue/changed-objects.server";
import type { FileEventType } from "../../events/event";
import { type Events, eventIdFrom } from "../../events/events.server";
import type { Database } from "../../providers/database.server";
import type { ObjectName } from "../../providers/object-changes.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { parseJsonText } from "../../shared/parse-json";
import type { RequestContext } from "../../shared/request-context.server";
import { findClientsOf, findPendingUpload, isOfOtherKey, isOurs } from "./notifications.sql.server";
import { readFilesPolicy } from "./place/policy.server";
import { eventMarkOf } from "./uploads/find-uploads.server";

/** The members that we need. Amazon S3 User Guide, "Event message structure". */
const notificationSchema = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      eventTime: z.iso.datetime(),
      s3: z.object({
        bucket: z.object({ name: z.string() }),
        object: z.object({
          key: z.string(),
          size: z.int().optional(),
          eTag: z.string().optional(),
          versionId: z.string().optional(),
          sequencer: z.string().optional(),
        }),
      }),
    }),
  ),
});

/** Something that the store says has happened to an object. */
interface Notification extends ObjectName {
  /** undefined if nothing is recorded of it */
  kind: "created" | "copied" | "deleted" | undefined;
  time: Date;
  size: number | undefined;
  /** with its quotes; undefined for a deletion */
  etag: string | undefined;
  version: string | undefined;
  sequencer: string | undefined;
}

interface Settings {
  database: Pick<Database, "$driverQuery">;
  events: Events;
  /** undefined if no bucket has a catalogue */
  changedObjects: Pick<ChangedObjects, "note"> | undefined;
  objectStore: ObjectStore;
  context: RequestContext;
}

/**
 * Records what a bucket's notification says, unless we know it already. Handling the same one again changes nothing.
 * @param message as Amazon S3 writes it; any other message, such as its test message, is ignored
 * @returns how many changes it names
 * @throws AppError `unavailable`; then Amazon delivers it again
 */
export async function recordNotification(message: string, settings: Settings): Promise<number> {
  const notifications = readNotification(message);
  // Whatever has happened to an object, and whoever has done it. The store is asked what it holds, so the order of notifications does not matter.
  await settings.changedObjects?.note(notifications);
  const changes = notifications.filter(isRecorded);
  for (const change of changes) await recordOne(change, settings);
  return changes.length;
}

type Change = Notification & { kind: NonNullable<Notification["kind"]> };
const isRecorded = (notification: Notification): notification is Change => notification.kind !== undefined;

function readNotification(message: string): Notification[] {
  const { data } = notificationSchema.safeParse(parseJsonText(message));
  return (data?.Records ?? []).flatMap(({ eventName, eventTime, s3: { bucket, object } }) => {
    const kind = kindOf(eventName, object.versionId);
    const key = readKey(object.key);
    if (key === undefined) return [];
    const { size, versionId: version, sequencer } = object;
    const etag = object.eTag === undefined ? undefined : `"${object.eTag}"`;
    return { kind, time: new Date(eventTime), bucket: bucket.name, key, size, etag, version, sequencer };
  });
}

/** Written as in a form: a space is a plus sign. Undefined if it is not, because Amazon would deliver it again and again. */
function readKey(written: string): string | undefined {
  try {
    return decodeURIComponent(written.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function kindOf(eventName: string, version: string | undefined): Notification["kind"] | undefined {
  const [group, name] = eventName.replace(/^s3:/, "").split(":");
  if (group === "ObjectCreated") return name === "Copy" ? "copied" : "created";
  // Deleting an older version changes nothing that is shown.
  const isVersionDeleted = name === "Delete" && version !== undefined;
  return group === "ObjectRemoved" && !isVersionDeleted ? "deleted" : undefined;
}

async function recordOne(notification: Change, settings: Settings): Promise<void> {
  const { kind, time, bucket, key, size, etag, version, sequencer } = notification;
  const { database, events } = settings;
  const known = kind === "created" ? await findUpload(notification, settings) : undefined;
  const content = (kind === "deleted" ? version : etag) ?? null;
  if (known === undefined && (await isOurs(database, { bucket, key }, { kind, content, time }))) return;
  const event = {
    type: typeOf(notification),
    occurredAt: time,
    source: "store",
    companyId: await companyOf(notification, settings),
    bucket,
    key,
    data: { size, etag, version },
  } as const;
  if (known !== undefined) await events.recordUpload({ ...event, ...known });
  else await events.record({ ...event, id: eventIdFrom(time, [bucket, key, sequencer, version]) });
}

function typeOf({ kind, key }: Change): FileEventType {
  if (kind === "deleted") return "file.deleted";
  if (kind === "copied") return "file.copied";
  return key.endsWith("/") ? "folder.created" : "file.uploaded";
}

/**
 * An upload that we signed: by the mark of its object or version; if that is gone or has been replaced, by its pending row.
 * @returns the mark, and when the store held the object; undefined if it is not known to be such an upload
 */
async function findUpload(
  { bucket, key, size, etag, version, time }: Notification,
  { database, objectStore, context }: Settings,
): Promise<{ id: string; seenAt: Date } | undefined> {
  const seenAt = new Date();
  const found = await objectStore.describeObject({ bucket, key, versionId: version }, context);
  if (found !== null && found.etag === etag) {
    const mark = eventMarkOf(found);
    if (mark === undefined) return undefined;
    return (await isOfOtherKey(database, mark, { bucket, key })) ? undefined : { id: mark, seenAt };
  }
  const pending = await findPendingUpload(database, { bucket, key }, { time, size: String(size) });
  return pending === undefined ? undefined : { id: pending, seenAt: time };
}

/** The only company whose API keys reach that object; null if there are several, or none. */
async function companyOf({ bucket, key }: Notification, { database }: Settings): Promise<string | null> {
  const reaching = (await findClientsOf(database, bucket)).filter(({ allowedScopes }) => {
    const { paths } = readFilesPolicy(allowedScopes) ?? { paths: [] };
    return paths === undefined || paths.some((path) => isInside(`/${key}`, path));
  });
  const companies = new Set(reaching.map(({ companyId }) => companyId));
  const [company] = companies;
  return companies.size === 1 && company !== undefined ? company : null;
}
