import { objectKey, parentOf } from "platform-embed-element/client";
import type { ServiceTools, StoreTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import { newEventId } from "../../../events/events.server";
import type { IntegrityChecks } from "../../../providers/integrity-checks.server";
import type { ObjectName } from "../../../providers/object-changes.server";
import { nameTaken } from "../../../providers/store-failure.server";
import { AppError, hasCode, invalidRequest } from "../../../shared/app-error";
import { countUpload } from "../../../telemetry/metrics.server";
import type {
  Integrity,
  PresignedUpload,
  PresignUploadRequest,
} from "../place/contract/uploads-contract.server";
import { heldSecondsOf, roomOf } from "../place/room.server";
import {
  assertMayUpload,
  type FilesGrant,
  isHandInPage,
  presignedSeconds,
} from "../place/scope-guards.server";
import { readReceipt, signReceipt } from "./hand-in-handles.server";
import { suffixedKey } from "./suffixed-key.server";
import { isRecorded } from "./uploads.sql.server";

/**
 * A presigned URL for one upload, within the token's scope.
 * @throws AppError `scope_not_allowed`, `too_large`, `type_not_allowed`, `quota_exceeded`, `invalid_request`; `name_taken` and those of the store with
 * `ifNoneMatch`, on a store that may ignore it, and with `receipt`; with `receipt` also `upload_not_found` if its file has been handed in,
 * and `unavailable`
 */
export async function presignUpload(
  { folderPath, fileName, ...upload }: PresignUploadRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<PresignedUpload> {
  const { objectStore, events, nowSeconds, context } = tools;
  const { bucket, contentType, size, checksum, contentMd5 } = upload;
  assertMayUpload({ bucket, folderPath, fileName, contentType, size }, grant);
  const { key, eventId, receipt } = nameUpload({ ...upload, folderPath, fileName }, grant, tools);
  const checks = await objectStore.integrityChecks({ bucket, key });
  // Somebody may have read a handed-in file already, so it is never replaced.
  const ifNoneMatch = upload.ifNoneMatch || (receipt !== undefined && checks.takesConditions === true);
  const mayBeStored = upload.receipt !== undefined || (ifNoneMatch && !objectStore.enforcesConditions);
  if (mayBeStored) {
    // If the object may not be read, the store's response to the upload decides.
    if ((await describeIfReadable({ bucket, key }, tools)) !== null) throw nameTaken();
  }
  if (upload.receipt !== undefined) await assertUnspent(eventId, tools);
  const expiresInSeconds = await presignedSeconds(grant, tools);
  const asksForHeaders =
    size !== undefined || checksum !== undefined || contentMd5 !== undefined || ifNoneMatch;
  const object = {
    bucket,
    key,
    contentType,
    size,
    ifNoneMatch,
    checksum,
    contentMd5,
    uploadMark: eventId,
    // Who asks for nothing that needs a header sends none but Content-Type.
    isMarkInUrl: !asksForHeaders && !isHandInPage(grant.scope),
    expiresInSeconds,
  };
  const { url, headers } = await objectStore.presignPut(object);
  // Signed first, and returned only if there is room: so the room is held longer than the URL is valid, however long this process stands still.
  await roomOf(grant, tools)?.take({
    key,
    bytes: size ?? 0,
    uploadId: eventId,
    heldSeconds: heldSecondsOf(size ?? 0, expiresInSeconds),
  });
  const event = { ...authorOf(grant, context), type: "file.uploaded", bucket, key } as const;
  await events.tryRecordPendingUpload(eventId, { ...event, data: { size, contentType } });
  countUpload("single");
  const expiresAt = nowSeconds + expiresInSeconds;
  return { url, method: "PUT", headers, bucket, key, integrity: integrityBy(checks), expiresAt, receipt };
}

/**
 * The key and the event's id of an upload. On a hand-in page nobody chooses the key: it has a random suffix, and a receipt stands for both, so
 * that another attempt for the same file names the same object.
 * @throws AppError `invalid_request`, and as `readReceipt`
 */
function nameUpload(
  {
    bucket,
    folderPath,
    fileName,
    size,
    receipt,
  }: Pick<PresignUploadRequest, "bucket" | "folderPath" | "fileName" | "size" | "receipt">,
  grant: FilesGrant,
  tools: ServiceTools,
): { key: string; eventId: string; receipt?: string } {
  if (receipt === undefined) {
    if (!isHandInPage(grant.scope)) return { key: objectKey(folderPath, fileName), eventId: newEventId() };
    const upload = {
      bucket,
      key: suffixedKey(folderPath, fileName, grant.scope.limits?.fileTypes),
      fileName,
      size,
      eventId: newEventId(),
    };
    return { ...upload, receipt: signReceipt(upload, grant, tools) };
  }
  const { key, eventId, ...begun } = readReceipt(receipt, grant, tools);
  if (begun.fileName !== fileName || begun.size !== size || parentOf(`/${key}`) !== folderPath)
    throw invalidRequest([{ path: "receipt", message: "is another file's" }]);
  return { key, eventId, receipt };
}

/**
 * A receipt is for one file, which may have been taken back since. Another file under its mark would be one that nobody is told of.
 * @throws AppError `upload_not_found`, `unavailable`
 */
async function assertUnspent(eventId: string, { database }: ServiceTools): Promise<void> {
  if (await isRecorded(database, eventId))
    throw new AppError("upload_not_found", "That file has been handed in already.");
}

/** The object at that key. Null if there is none, and where the access key may write, but not read. */
export function describeIfReadable(object: ObjectName, { objectStore, context }: StoreTools) {
  return objectStore.describeObject(object, context).catch((error: unknown) => {
    if (hasCode(error, "provider_failed")) return null;
    throw error;
  });
}

/** How the browser should protect an upload. If nothing is known: `Content-MD5`, which every S3 store supports. */
export function integrityBy({ checksums, contentMd5 }: IntegrityChecks): Integrity {
  if (checksums) return "checksum";
  return contentMd5 === false ? null : "contentMd5";
}
