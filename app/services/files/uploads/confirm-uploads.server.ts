import type { ServiceTools } from "../../../embed/service";
import { type Author, authorOf } from "../../../events/event";
import { isEventId, timeOfEventId } from "../../../events/events.server";
import { AppError } from "../../../shared/app-error";
import { logWarning } from "../../../shared/log.server";
import { mapConcurrently } from "../../../shared/map-concurrently";
import { isInside, parentOf } from "../folder-path";
import { readReceipt, signTakeBack } from "../hand-in/hand-in-handles.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertUploadFolderInScope,
  type FilesGrant,
  isHandInPage,
} from "../scope-guards.server";
import { MAX_UPLOAD_DAYS } from "../storage-limits";
import { describeIfReadable } from "./presign-upload.server";
import type { ConfirmedUploads, ConfirmUploadsRequest } from "./uploads-contract.server";

/** Maximum number of objects that are asked for at a time. */
const MAX_CONCURRENT_LOOKUPS = 16;

/**
 * Records uploads by presigned URLs, of which only the store and the caller know. What is recorded is what the store says. Repeating it
 * does no harm.
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
  const uploaded = await mapConcurrently(uploads, MAX_CONCURRENT_LOOKUPS, async ({ key, eventId }) => {
    const found = await describeIfReadable({ bucket, key }, tools);
    // The mark of an upload that we signed is the id of its event. Old uploads are left out: their events may have been deleted, and would
    // be recorded again.
    if (found?.uploadMark === undefined || !isEventId(found.uploadMark) || isOld(found.uploadMark)) return [];
    if (eventId !== undefined && found.uploadMark !== eventId) return [];
    const { uploadMark: id, size, etag, checksum, contentType } = found;
    const data = { size, etag, checksum, contentType };
    const maySee = eventId !== undefined || isInside(parentOf(`/${key}`), grant.scope.path ?? "/");
    const isShown = maySee || (await isOwnUpload(id, author, tools));
    await tools.events.record({ ...author, id, type: "file.uploaded", bucket, key, data });
    if (!isShown) return [];
    const takeBack = eventId && signTakeBack({ bucket, key, size, etag }, grant, tools);
    return { key, size, etag, takeBack };
  });
  return { uploaded: uploaded.flat() };
}

/**
 * The keys, and for a hand-in page the events that receipts stand for. Such a page may name no key: it would learn which files there are.
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
  return [...keys.map((key) => ({ key })), ...receipts.map((receipt) => readReceipt(receipt, grant, tools))];
}

/**
 * Whether the upload was begun by this key and visitor. Of files where the token may not browse, nobody else learns that they exist. If the
 * database is down, none is known to be.
 */
async function isOwnUpload(
  id: string,
  { clientId, visitorId }: Author,
  { database, context }: ServiceTools,
): Promise<boolean> {
  const rows = await database
    .$driverQuery(OWN_UPLOAD, [id, clientId, visitorId ?? null])
    .catch((error: unknown) => {
      logWarning(`Could not look up whose upload this is. ${error}`, context);
      return [];
    });
  return rows.length > 0;
}

/** $1: the event's id. $2: the embed client. $3: the visitor, or null */
const OWN_UPLOAD = ["begun_events", "events"]
  .map(
    (table) =>
      `SELECT id FROM ${table} WHERE id = $1 AND client_id = $2 AND visitor_id IS NOT DISTINCT FROM $3`,
  )
  .join(" UNION ALL ");

const isOld = (eventId: string) => Date.now() - timeOfEventId(eventId) > MAX_UPLOAD_DAYS * 24 * 3600 * 1000;
