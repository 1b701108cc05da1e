import { isInside } from "platform-embed-element/client";
import { z } from "zod";
import type { FileEventType } from "../../events/event";
import { type Events, eventIdFrom } from "../../events/events.server";
import type { Database } from "../../providers/database.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { parseJsonText } from "../../shared/parse-json";
import type { RequestContext } from "../../shared/request-context.server";
import { readFilesPolicy } from "./place/scope.server";
import { eventMarkOf } from "./uploads/find-uploads.server";

/** Our own change and its notification differ by at most this. Amazon S3 User Guide, "Amazon S3 Event Notifications". */
const MAX_DELAY_MINUTES = 15;

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
interface Notification {
  kind: "created" | "copied" | "deleted";
  time: Date;
  bucket: string;
  key: string;
  size: number | undefined;
  /** with its quotes; undefined for a deletion */
  etag: string | undefined;
  version: string | undefined;
  sequencer: string | undefined;
}

interface Settings {
  database: Pick<Database, "$driverQuery">;
  events: Events;
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
  for (const notification of notifications) await recordOne(notification, settings);
  return notifications.length;
}

function readNotification(message: string): Notification[] {
  const { data } = notificationSchema.safeParse(parseJsonText(message));
  return (data?.Records ?? []).flatMap(({ eventName, eventTime, s3: { bucket, object } }) => {
    const kind = kindOf(eventName, object.versionId);
    const key = readKey(object.key);
    if (kind === undefined || key === undefined) return [];
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

async function recordOne(notification: Notification, settings: Settings): Promise<void> {
  const { kind, time, bucket, key, size, etag, version, sequencer } = notification;
  const { events } = settings;
  const known = kind === "created" ? await findUpload(notification, settings) : undefined;
  if (known === undefined && (await isOurs(notification, settings))) return;
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

function typeOf({ kind, key }: Notification): FileEventType {
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
    const [upload] = await database.$driverQuery<{ isOther: boolean }>(IS_OF_OTHER_KEY, [mark, bucket, key]);
    return upload?.isOther ? undefined : { id: mark, seenAt };
  }
  const [pending] = await database.$driverQuery<{ id: string }>(FIND_PENDING, [
    ...[bucket, key, time.toISOString(), String(size)],
  ]);
  return pending && { id: pending.id, seenAt: time };
}

/** A copy keeps the mark of its source, also one that another program has made. */
const IS_OF_OTHER_KEY = `SELECT (bucket, key) <> ($2, $3) AS "isOther" FROM (
  SELECT id, bucket, key FROM pending_events UNION ALL SELECT id, bucket, key FROM events
) AS uploads WHERE id = $1 LIMIT 1`;

/** $4: the size. Whose URL may have stored it: if several people's, nobody's name is put on it. Those without an event come first. */
const FIND_PENDING = `
  SELECT (array_agg(pending.id ORDER BY events.id IS NOT NULL, pending_since))[1] AS id
  FROM pending_events AS pending LEFT JOIN events ON events.id = pending.id
  WHERE pending.bucket = $1 AND pending.key = $2 AND pending.type = 'file.uploaded' AND pending_since <= $3::timestamp
    AND coalesce(pending.data->>'size', $4) = $4
  HAVING count(DISTINCT (pending.client_id, pending.visitor_id)) = 1`;

/** In SQL, for `isOurs`: $2 is the key, $3 the version or null. */
const SAME_DELETION = `((type = 'file.deleted' AND key = $2 AND ($3::text IS NULL OR data->>'version' = $3))
  OR (type = 'file.moved' AND data->>'from' = $2))`;
/** In SQL, for `isOurs`: $2 is the key, $3 the ETag. */
const SAME_CREATION = `(key = $2 AND type <> 'file.deleted' AND type <> 'file.download_signed'
  AND (type = 'folder.created' OR data->>'etag' = $3))`;

/** Whether it is a change that we asked the store for: those are pending before. */
async function isOurs(
  { kind, bucket, key, etag, version, time }: Notification,
  { database }: Settings,
): Promise<boolean> {
  const same = kind === "deleted" ? SAME_DELETION : SAME_CREATION;
  const [row] = await database.$driverQuery<{ isOurs: boolean }>(
    `SELECT EXISTS (
        SELECT 1 FROM events WHERE bucket = $1 AND ${same}
          AND occurred_at BETWEEN $4::timestamp - interval '${MAX_DELAY_MINUTES} min' AND $4::timestamp + interval '${MAX_DELAY_MINUTES} min'
      ) OR EXISTS (
        SELECT 1 FROM pending_events WHERE bucket = $1 AND (key = $2 OR data->>'from' = $2) AND type <> 'file.uploaded'
      ) AS "isOurs"`,
    [bucket, key, (kind === "deleted" ? version : etag) ?? null, time.toISOString()],
  );
  return row?.isOurs === true;
}

/** The only company whose API keys reach that object; null if there are several, or none. */
async function companyOf({ bucket, key }: Notification, { database }: Settings): Promise<string | null> {
  const clients = await database.$driverQuery<{ companyId: string; allowedScopes: unknown }>(
    `SELECT "companyId", allowed_scopes AS "allowedScopes" FROM embed_clients
    WHERE revoked_at IS NULL AND allowed_scopes->'files'->'buckets' ? $1`,
    [bucket],
  );
  const reaching = clients.filter(({ allowedScopes }) => {
    const { paths } = readFilesPolicy(allowedScopes) ?? { paths: [] };
    return paths === undefined || paths.some((path) => isInside(`/${key}`, path));
  });
  const companies = new Set(reaching.map(({ companyId }) => companyId));
  const [company] = companies;
  return companies.size === 1 && company !== undefined ? company : null;
}
