/*
 * Multipart uploads on the server: one function for each endpoint `multipart/…`. `presign-upload.server.ts` is for files that are sent in one
 * request. `./README.md` describes the flow.
 */
import { MAX_UPLOAD_DAYS, nameOf, objectKey, parentOf } from "platform-embed-element/client";
import {
  bytesOfPart,
  completeParts,
  MiB,
  missingParts,
  partCountOf,
  partSizeFor,
} from "../../../../embed-element/shared/part-sizes";
import type { ServiceTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import { newEventId, timeOfEventId } from "../../../events/events.server";
import { isRefusal } from "../../../events/pending-change.server";
import type { CompletedObject } from "../../../providers/multipart.server";
import type { ObjectDescription } from "../../../providers/object-changes.server";
import { nameTaken } from "../../../providers/store-failure.server";
import { AppError, hasCode, invalidRequest } from "../../../shared/app-error";
import { countUpload } from "../../../telemetry/metrics.server";
import type {
  CompletedUpload,
  CompleteUploadRequest,
  CreatedUpload,
  CreateUploadRequest,
  FoundUpload,
  SignedParts,
  SignPartsRequest,
  StoredParts,
} from "../place/contract/uploads-contract.server";
import { roomOf } from "../place/room.server";
import {
  assertMayUpload,
  type FilesGrant,
  isHandInPage,
  presignedSeconds,
  senderOf,
} from "../place/scope-guards.server";
import { dataOfUpload, findUploads, versionsOfRequest } from "./find-uploads.server";
import { signTakeBack } from "./hand-in-handles.server";
import { integrityBy } from "./presign-upload.server";
import { suffixedKey } from "./suffixed-key.server";
import { findHandle, forgetUpload, rememberUpload } from "./unfinished-uploads.server";
import { readUploadHandle, signUploadHandle, type UploadHandlePayload } from "./upload-handle.server";

const MIN_PART_BYTES = 8 * MiB;

/** As long as the handle is valid, and an hour more for requests that are running, and for clocks of servers. */
const HELD_SECONDS = (MAX_UPLOAD_DAYS * 24 + 1) * 3600;

/** How many parts an upload may have. @throws AppError as `readUploadHandle` */
export const partsOfUpload = (body: { upload: string }, grant: FilesGrant, tools: ServiceTools): number =>
  partCountOf(readUploadHandle(body.upload, grant, tools));

/** How many parts the upload of a file of this size has. */
export const partsOfFile = ({ size }: { size: number }): number =>
  partCountOf({ size, partSize: partSizeFor(size, MIN_PART_BYTES) });

/**
 * Creates a multipart upload. A name that is taken is refused before anything is sent; if it is taken later, completing the upload is
 * refused.
 * @throws AppError as `assertMayUpload`, `name_taken`, `quota_exceeded`, and those of the store
 */
export async function createMultipartUpload(
  { bucket, folderPath, fileName, contentType, size, ifNoneMatch }: CreateUploadRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<CreatedUpload> {
  assertMayUpload({ bucket, folderPath, fileName, contentType, size }, grant);
  const isHandIn = isHandInPage(grant.scope);
  const key = isHandIn
    ? suffixedKey(folderPath, fileName, grant.scope.limits?.fileTypes)
    : objectKey(folderPath, fileName);
  if (ifNoneMatch && (await tools.objectStore.describeObject({ bucket, key }, tools.context))) {
    throw nameTaken();
  }
  const eventId = newEventId();
  const room = roomOf(grant, tools);
  await room?.take({ key, bytes: size, uploadId: eventId, heldSeconds: HELD_SECONDS });
  // Some stores accept checksums and compare nothing. Where a trial has shown that, the upload gets no checksums, and the browser sends MD5s.
  const trial = await tools.objectStore.integrityChecks({ bucket, key });
  const withoutChecksum = trial.checksums === false;
  const created = await tools.objectStore
    .createUpload({ bucket, key, contentType, uploadMark: eventId, withoutChecksum }, tools.context)
    .catch(async (error: unknown) => {
      // Without the store's id of the upload, nobody can complete it.
      await room?.end(eventId);
      throw error;
    });
  // The trial may have failed. What the store has accepted for this upload decides.
  const integrity = integrityBy({ ...trial, checksums: created.algorithm !== null });
  countUpload("multipart");
  const { companyId } = grant;
  const partSize = partSizeFor(size, MIN_PART_BYTES);
  const sender = isHandIn ? senderOf(grant) : undefined;
  const overwrite = !ifNoneMatch && !isHandIn;
  const upload = { ...created, companyId, eventId, contentType, size, partSize, overwrite, sender };
  const handle = signUploadHandle(upload, tools);
  // A hand-in page gives every file a new random name, so there is nothing to find.
  if (!isHandIn) await rememberUpload(handle, upload, grant, tools);
  return { ...describeUpload(handle, upload), integrity };
}

const describeUpload = (
  handle: string,
  upload: Pick<UploadHandlePayload, "key" | "size" | "partSize" | "algorithm">,
) => ({
  upload: handle,
  key: upload.key,
  partSize: upload.partSize,
  partCount: partCountOf(upload),
  checksum: upload.algorithm,
});

/**
 * Finds an unfinished upload of the file by the same visitor, for browsers that have no record of it. The page has to compare the stored
 * parts with the file, because another file may have the same name and size.
 * @returns `upload: null` if there is none, if nothing of it is stored, or if the store keeps no checksums to compare
 * @throws AppError as `assertMayUpload`, and those of the store
 */
export async function findMultipartUpload(
  { bucket, folderPath, fileName, contentType, size, ifNoneMatch }: CreateUploadRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<FoundUpload> {
  assertMayUpload({ bucket, folderPath, fileName, contentType, size }, grant);
  const { objectStore, context } = tools;
  const file = { bucket, key: objectKey(folderPath, fileName), size };
  const handle = await findHandle(file, grant, tools);
  if (handle === null) return { upload: null };
  try {
    const upload = uploadOf(handle, grant, tools);
    if (upload.algorithm === null || upload.contentType !== contentType) return { upload: null };
    // `multipart/create` then says that the name is taken.
    if (ifNoneMatch && (await objectStore.describeObject(file, context))) return { upload: null };
    const parts = completeParts(upload, await objectStore.listParts(upload, context));
    if (parts.length === 0) return { upload: null };
    const ownerUnknown = grant.visitor === undefined;
    // `ownerUnknown` in the handle lets this visitor continue the upload, but not abort it.
    const foundHandle = ownerUnknown ? signUploadHandle({ ...upload, ownerUnknown }, tools) : handle;
    return {
      ...describeUpload(foundHandle, upload),
      integrity: "checksum",
      arrived: parts.reduce((sum, part) => sum + part.size, 0),
      ownerUnknown,
    };
  } catch (error) {
    // The upload is gone, or its handle was signed with a secret that has been rotated out.
    if (!hasCode(error, "upload_not_found", "invalid_request")) throw error;
    await forgetUpload(handle, file, grant, tools);
    return { upload: null };
  }
}

/**
 * Presigns URLs for some parts of an upload.
 * @throws AppError as `uploadOf`, `invalid_request` for a part that the upload does not have
 */
export async function signUploadParts(
  body: SignPartsRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<SignedParts> {
  const { objectStore, nowSeconds } = tools;
  const upload = uploadOf(body.upload, grant, tools);
  const partCount = partCountOf(upload);
  const beyond = body.parts.findIndex(({ number }) => number > partCount);
  if (beyond !== -1) {
    const message = `must be at most ${partCount}, the number of parts of this upload`;
    throw invalidRequest([{ path: `parts[${beyond}].number`, message }]);
  }
  const expiresInSeconds = await presignedSeconds(grant, tools);
  const parts = await Promise.all(
    body.parts.map(async ({ number, ...digests }) => {
      const part = { number, size: bytesOfPart(upload, number), ...digests };
      return { number, ...(await objectStore.presignPart(upload, part, expiresInSeconds)) };
    }),
  );
  return { parts, expiresAt: nowSeconds + expiresInSeconds, serverTime: nowSeconds };
}

/** The parts that the store has, for resuming an upload. @throws AppError as `uploadOf`, and those of the store */
export async function listUploadParts(
  body: { upload: string },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<StoredParts> {
  const upload = uploadOf(body.upload, grant, tools);
  const parts = await tools.objectStore.listParts(upload, tools.context);
  return { parts: parts.map(({ number, size, checksum }) => ({ number, size, checksum })) };
}

/**
 * Assembles the parts into the object. Idempotent. The server lists the parts, so that pages never need to
 * read an ETag.
 * @throws AppError as `uploadOf`; `quota_exceeded`, `upload_incomplete`, `name_taken`, `upload_conflict`, `checksum_mismatch`, and those of the store
 */
export async function completeMultipartUpload(
  body: CompleteUploadRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<CompletedUpload> {
  const upload = uploadOf(body.upload, grant, tools);
  const { bucket, key, size, eventId, contentType } = upload;
  const isHandedIn = upload.sender !== undefined;
  // The person may decide to replace a file after the upload has begun. A hand-in page never replaces any.
  const overwrite = !isHandedIn && (body.overwrite ?? upload.overwrite);
  const { events } = tools;
  const event = { ...authorOf(grant, tools.context), type: "file.uploaded", bucket, key } as const;
  const room = roomOf(grant, tools);
  const recordCompleted = async (stored: Pick<ObjectDescription, "etag" | "checksum" | "versionId">) => {
    const { etag } = stored;
    await room?.end(eventId);
    const data = dataOfUpload({ ...stored, size, contentType });
    await events.record({ ...event, id: eventId, data });
    if (!isHandedIn) await forgetUpload(body.upload, upload, grant, tools);
    const takeBack = isHandedIn
      ? signTakeBack({ bucket, key, eventId, size, etag }, grant, tools)
      : undefined;
    return { bucket, key, size, etag, takeBack };
  };
  const describe = () => tools.objectStore.describeObject({ bucket, key }, tools.context);
  const recordFound = (found: ObjectDescription) => {
    assertSameChecksum(found, upload, body.checksum);
    return recordCompleted(found);
  };
  // Check first: some stores ignore If-None-Match here, and the upload may already be complete.
  const existing = await describe();
  if (existing?.uploadMark === eventId) return recordFound(existing);
  if (existing !== null && !overwrite) {
    const replaced = await findReplaced(upload, tools);
    if (replaced) return recordFound(replaced);
    throw nameTaken();
  }
  // It has its room since it was created, unless that was before there was a quota.
  await room?.take({ key, bytes: size, uploadId: eventId, heldSeconds: HELD_SECONDS });
  await events.recordPendingUpload(eventId, { ...event, data: { size, contentType } });
  let made: CompletedObject;
  try {
    made = await assembleParts(upload, { checksum: body.checksum, overwrite }, tools);
  } catch (error) {
    // A concurrent request for the same upload may have completed it.
    const mayBeCompleted = hasCode(error, "upload_not_found", "name_taken", "upload_conflict");
    const meanwhile = mayBeCompleted ? await describe() : null;
    if (meanwhile?.uploadMark === eventId) return recordFound(meanwhile);
    const replaced = mayBeCompleted ? await findReplaced(upload, tools) : undefined;
    if (replaced) return recordFound(replaced);
    // It was aborted, maybe just before its room was taken once more.
    if (hasCode(error, "upload_not_found")) await room?.end(eventId);
    if (isRefusal(error)) await events.discardPending(eventId);
    throw error;
  }
  return recordCompleted({ ...made, etag: made.etag ?? (await describe())?.etag ?? "" });
}

/**
 * The object that the upload has become, if another one has replaced or hidden it since, and the bucket keeps its version. Looks at the newest
 * versions only, because the request does not count as heavy. Cleanup records an upload that is further back.
 */
async function findReplaced(
  { bucket, key, eventId }: UploadHandlePayload,
  tools: ServiceTools,
): Promise<ObjectDescription | undefined> {
  const versions = versionsOfRequest(1);
  for await (const found of findUploads({ bucket, key }, timeOfEventId(eventId) / 1000, tools, { versions }))
    if (found.uploadMark === eventId) return found;
  return undefined;
}

/**
 * The file that a visitor continues an upload with may be another one of the same name and size.
 * @throws AppError `checksum_mismatch` if the complete object is known to be another file's
 */
function assertSameChecksum(
  { checksum: stored }: ObjectDescription,
  { algorithm }: UploadHandlePayload,
  checksum: string | undefined,
): void {
  const isComparable = algorithm !== null && checksum !== undefined && stored?.startsWith(`${algorithm}:`);
  if (isComparable && stored !== `${algorithm}:${checksum}`)
    throw new AppError("checksum_mismatch", "The stored file is another one than the one that was sent.");
}

/** @throws AppError `upload_incomplete`, and those of the store */
async function assembleParts(
  upload: UploadHandlePayload,
  options: { checksum: string | undefined; overwrite: boolean },
  { objectStore, context }: ServiceTools,
): Promise<CompletedObject> {
  const parts = await objectStore.listParts(upload, context);
  const missing = missingParts(upload, parts);
  if (missing.length > 0) {
    const named = `${missing.slice(0, 20).join(", ")}${missing.length > 20 ? " and more" : ""}`;
    throw new AppError("upload_incomplete", `Parts of the upload are missing: ${named}.`);
  }
  return objectStore.completeUpload(upload, parts, options, context);
}

/**
 * Discards the parts, if there are any.
 * @returns `aborted`: false if the upload has become a file
 * @throws AppError as `uploadOf`, and those of the store; `scope_not_allowed` for an upload that may be somebody else's
 */
export async function abortMultipartUpload(
  body: { upload: string },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<{ aborted: boolean }> {
  const upload = uploadOf(body.upload, grant, tools);
  if (upload.ownerUnknown)
    throw new AppError("scope_not_allowed", "That upload may be somebody else's, so only they can abort it.");
  await tools.objectStore.abortUpload(upload, tools.context).catch((error: unknown) => {
    if (!hasCode(error, "upload_not_found")) throw error;
  });
  await roomOf(grant, tools)?.end(upload.eventId);
  await forgetUpload(body.upload, upload, grant, tools);
  // A request to complete it may have been faster.
  const { bucket, key, eventId } = upload;
  const existing = await tools.objectStore.describeObject({ bucket, key }, tools.context);
  return { aborted: existing?.uploadMark !== eventId };
}

/**
 * The upload of a handle, if this token may make it. A hand-in page continues its own uploads only, and nobody else does.
 * @throws AppError as `readUploadHandle` and `assertMayUpload`
 */
function uploadOf(handle: string, grant: FilesGrant, tools: ServiceTools): UploadHandlePayload {
  const upload = readUploadHandle(handle, grant, tools);
  const { bucket, key, contentType, size } = upload;
  const path = `/${key}`;
  const file = { bucket, folderPath: parentOf(path), fileName: nameOf(path), contentType, size };
  assertMayUpload(file, grant);
  const isHandIn = isHandInPage(grant.scope) || upload.sender !== undefined;
  if (isHandIn && upload.sender !== senderOf(grant))
    throw new AppError("scope_not_allowed", "That was handed in by somebody else.");
  return upload;
}
