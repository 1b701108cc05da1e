import { isInside, parentOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import { type Author, authorOf } from "../../../events/event";
import { timeOfEventId } from "../../../events/events.server";
import type { ObjectDescription, ObjectName } from "../../../providers/object-changes.server";
import { AppError } from "../../../shared/app-error";
import { logWarning } from "../../../shared/log.server";
import { mapConcurrently } from "../../../shared/map-concurrently";
import type { ConfirmedUploads, ConfirmUploadsRequest } from "../place/contract/uploads-contract.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertUploadFolderInScope,
  type FilesGrant,
  isHandInPage,
} from "../place/scope-guards.server";
import { dataOfUpload, eventMarkOf, findUploads, versionsOfRequest } from "./find-uploads.server";
import { readReceipt, signTakeBack } from "./hand-in-handles.server";
import { describeIfReadable } from "./presign-upload.server";
import { findUploadsOf } from "./uploads.sql.server";

/** Maximum number of objects that are asked for at a time. */
const MAX_CONCURRENT_LOOKUPS = 16;

/**
 * Records uploads by presigned URLs, of which only the store and the caller know. What is recorded is what the store says. An upload that
 * another one has replaced is found among the versions. Repeating it does no harm.
 * @returns of each key, the newest upload that the caller has begun
 * @throws AppError `scope_not_allowed`, and those of the store
 */
export async function confirmUploads(
  { bucket, ...named }: ConfirmUploadsRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<ConfirmedUploads> {
  assertActionInScope("upload", grant.scope);
  assertBucketInScope(bucket, grant.scope);
  const uploads = readUploads(named, grant, tools);
  for (const { key } of uploads) assertUploadFolderInScope(parentOf(`/${key}`), grant.scope);
  const author = authorOf(grant, tools.context);
  // What is not found with these is left to cleanup.
  const versions = versionsOfRequest(uploads.length);
  const uploaded = await mapConcurrently(uploads, MAX_CONCURRENT_LOOKUPS, async ({ key, eventId }) => {
    const object = { bucket, key };
    const record = (id: string, stored: ObjectDescription, at: Date) => {
      const event = { ...author, ...object, type: "file.uploaded", data: dataOfUpload(stored) } as const;
      return tools.events.recordUpload({ ...event, id, seenAt: at });
    };
    const seenAt = new Date();
    const current = await describeIfReadable(object, tools);
    const mark = eventMarkOf(current);
    const own = eventId === undefined ? await findOwn(object, mark, author, tools) : receiptOf(eventId);
    let confirmed: ObjectDescription | undefined;
    if (current !== null && mark !== undefined && (eventId === undefined || mark === eventId)) {
      await record(mark, current, seenAt);
      const maySee = isInside(parentOf(`/${key}`), grant.scope.path ?? "/");
      if (own.isOwn(mark) && (own.isKnown || maySee)) confirmed = current;
    }
    // Those of the own uploads that nobody has told yet, and that are not what the key holds.
    const replaced = own.pending.filter((id) => id !== mark);
    if (replaced.length > 0) {
      const since = Math.min(...replaced.map(timeOfEventId)) / 1000;
      for await (const found of findUploads(object, since, tools, { versions })) {
        if (!replaced.includes(found.uploadMark)) continue;
        await record(found.uploadMark, found, found.storedAt);
        confirmed ??= found;
      }
    }
    if (confirmed === undefined) return [];
    const { size, etag } = confirmed;
    const takeBack = eventId && signTakeBack({ bucket, key, eventId, size, etag }, grant, tools);
    return { key, size, etag, takeBack };
  });
  return { uploaded: uploaded.flat() };
}

/** The uploads of one key that the caller has begun. */
interface OwnUploads {
  /** the marks of those whose outcome is not known */
  pending: string[];
  isOwn(mark: string): boolean;
  /** The upload is known to be the caller's. Otherwise it is one of which nobody knows who has begun it. */
  isKnown: boolean;
}

const receiptOf = (eventId: string): OwnUploads => ({
  pending: [eventId],
  isOwn: (mark) => mark === eventId,
  isKnown: true,
});

/**
 * The keys, and for a hand-in page the events that receipts stand for, each once. Such a page may name no key: it would learn which files there are.
 * @throws AppError `scope_not_allowed`, and as `readReceipt`
 */
function readUploads(
  { keys = [], receipts = [] }: Pick<ConfirmUploadsRequest, "keys" | "receipts">,
  grant: FilesGrant,
  tools: ServiceTools,
): { key: string; eventId?: string }[] {
  if (isHandInPage(grant.scope) && keys.length > 0) {
    throw new AppError(
      "scope_not_allowed",
      "This token confirms uploads by their receipts only (scope.view).",
    );
  }
  return [
    ...[...new Set(keys)].map((key) => ({ key })),
    ...[...new Set(receipts)].map((receipt) => readReceipt(receipt, grant, tools)),
  ];
}

/**
 * What the record says of the caller's uploads of a key. Of files where the token may not browse, nobody else learns that they exist. If the
 * database is down, nobody is known to have begun any.
 * @param mark of the object that the key holds
 */
async function findOwn(
  object: ObjectName,
  mark: string | undefined,
  author: Author,
  { database, context }: ServiceTools,
): Promise<OwnUploads> {
  const rows = await findUploadsOf(database, object, mark, author).catch((error: unknown) => {
    logWarning(`Could not look up whose upload this is. ${error}`, context);
    return [];
  });
  const ofMark = rows.filter(({ id }) => id === mark);
  return {
    pending: rows.flatMap(({ id, isPending, isOwn }) => (isPending && isOwn ? id : [])),
    isOwn: () => ofMark.every(({ isOwn }) => isOwn),
    isKnown: ofMark.length > 0,
  };
}
