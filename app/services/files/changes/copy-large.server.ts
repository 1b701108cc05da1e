import { bytesOfPart, MiB, missingParts, partSizeFor } from "../../../../embed-element/shared/part-sizes";
import type { StoreTools } from "../../../embed/service";
import type { StoreUpload } from "../../../providers/multipart.server";
import type { ObjectDescription } from "../../../providers/object-changes.server";
import { nameTaken, objectNotFound } from "../../../providers/store-failure.server";
import { AppError, hasCode } from "../../../shared/app-error";
import type { FailureCode } from "../place/contract/changes-contract.server";
import { checkedVersion } from "../place/required-tag.server";
import { HELD_SECONDS_OF_LARGE_COPY } from "../place/room.server";
import type { LargeCopy } from "./change-cursor.server";
import { isOverLimit, noteCreated, type ObjectCopy, removeSource } from "./copy-object.server";
import { type Bounds, endChange, type Outcomes, requestBounds, runBounded } from "./each-object.server";
import { copyMarkOf } from "./recognize-copy.server";

/** How much one request copies. */
export interface CopyBounds extends Bounds {
  /** Larger objects are copied in parts. S3 copies up to 5 GiB in one request, slowly. */
  maxSingleCopyBytes: number;
  minPartBytes: number;
}

export const copyBounds: CopyBounds = {
  ...requestBounds,
  maxSingleCopyBytes: 512 * MiB,
  minPartBytes: 128 * MiB,
};

/**
 * Begins a multipart copy, without copying any: if the response is lost, no parts are left that cost storage.
 * @returns null if the object is gone; `quota_exceeded` if there is no room for it
 * @throws AppError as `checkedVersion`
 */
export async function startLarge(
  objectCopy: ObjectCopy,
  index: number,
  tools: StoreTools,
): Promise<LargeCopy | "quota_exceeded" | null> {
  const { bucket, key, to, requireTag } = objectCopy;
  const { objectStore, context } = tools;
  const checked = await checkedVersion(objectCopy, requireTag, tools);
  if (checked === null) return null;
  const { versionId } = checked;
  const source = await objectStore.describeObject({ bucket, key, versionId }, context);
  if (source === null) return null;
  const mark = copyMarkOf({ bucket, key }, source);
  const { uploadId } = await objectStore.createCopyUpload(
    { bucket, key, versionId, to, copyMark: mark, source },
    context,
  );
  const large = { index, key, versionId, uploadId, mark, size: source.size, etag: source.etag };
  if (await hasRoom(objectCopy, large)) return large;
  await abandonLarge(objectCopy, large, tools);
  return "quota_exceeded";
}

/** Takes room for a copy that begins, or holds that of one that goes on. */
async function hasRoom(
  { key, to, isMove, room }: ObjectCopy,
  { uploadId, size }: LargeCopy,
): Promise<boolean> {
  if (room === undefined) return true;
  const movedFrom = isMove ? key : undefined;
  return room.hasTaken({
    key: to,
    bytes: size,
    uploadId,
    heldSeconds: HELD_SECONDS_OF_LARGE_COPY,
    movedFrom,
  });
}

/**
 * Continues a multipart copy, and counts what has become of it.
 * @returns the outcome; `more` if another request has to continue, undefined if it failed
 */
export async function countLarge(
  outcomes: Pick<Outcomes, "count">,
  objectCopy: ObjectCopy,
  copy: LargeCopy,
  bounds: CopyBounds,
  tools: StoreTools,
): Promise<Awaited<ReturnType<typeof continueLarge>> | undefined> {
  let result: Awaited<ReturnType<typeof continueLarge>> | undefined;
  const work = async () => {
    result = await continueLarge(objectCopy, copy, bounds, tools);
    return result === "more" ? "uncounted" : result;
  };
  await outcomes.count(copy.key, endChange(objectCopy.change, work()));
  return result;
}

/**
 * Copies the missing parts, as far as the bounds allow. Then completes the copy, compares, and for a move deletes the source. If it fails,
 * the parts are discarded.
 */
async function continueLarge(
  objectCopy: ObjectCopy,
  copy: LargeCopy,
  bounds: CopyBounds,
  tools: StoreTools,
): Promise<"done" | "more" | "uncounted" | FailureCode> {
  const { objectStore, context } = tools;
  const { bucket, key, to, isMove, overwrite, change } = objectCopy;
  const versionId = copy.versionId ?? objectCopy.versionId;
  // The source may have grown before it was begun, or the request continues with a token whose limit is lower.
  const refusal = isOverLimit(objectCopy, copy)
    ? "too_large"
    : ((await refusalOf({ ...objectCopy, versionId }, tools)) ??
      ((await hasRoom(objectCopy, copy)) ? null : "quota_exceeded"));
  if (refusal !== null) {
    await abandonLarge(objectCopy, copy, tools);
    return refusal;
  }
  const upload = uploadOf(objectCopy, copy);
  // A failed condition means that the source has changed; once all parts are copied, that the name is taken.
  let isCopied = false;
  let isCompleted = false;
  try {
    isCopied = await copyParts(upload, { ...copy, versionId }, bounds, tools);
    if (!isCopied) return "more";
    const parts = await objectStore.listParts(upload, context);
    // See `enforcesConditions`.
    if (!overwrite && (await objectStore.describeObject({ bucket, key: to }, context))) throw nameTaken();
    // The parts stay when the source is moved away between two requests.
    if (isMove && (await objectStore.describeObject({ bucket, key }, context)) === null)
      throw objectNotFound();
    await change.recordPending({ size: copy.size, etag: copy.etag });
    await objectStore.completeUpload(upload, parts, { checksum: undefined, overwrite }, context);
    isCompleted = true;
    await objectCopy.room?.end(copy.uploadId);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    await abandonLarge(objectCopy, copy, tools);
    // An earlier attempt, whose response was lost, may have completed the copy.
    if ((await findCopy()) === null) {
      if (error.code === "not_found" || error.code === "provider_failed") return error.code;
      return isCopied && error.code === "name_taken" ? "name_taken" : "upload_conflict";
    }
  }
  const found = await findCopy();
  if (found === null) return "upload_conflict";
  const made = isCompleted ? { etag: found.etag, version: found.versionId } : undefined;
  if (made !== undefined) noteCreated(objectCopy, made);
  return isMove ? removeSource(objectCopy, copy, made, tools) : "done";

  async function findCopy(): Promise<ObjectDescription | null> {
    const existing = await objectStore.describeObject({ bucket, key: to }, context);
    return existing?.copyMark === copy.mark && existing.size === copy.size ? existing : null;
  }
}

/** Why a copy that was begun must not go on; null if it may. The scanner may have decided otherwise since, or the token may have changed. */
async function refusalOf(
  objectCopy: ObjectCopy,
  tools: StoreTools,
): Promise<"being_checked" | "blocked" | "not_found" | "upload_conflict" | null> {
  const { requireTag, versionId } = objectCopy;
  if (requireTag === undefined) return null;
  // It was begun without a check, so nobody knows of which version its parts are.
  if (versionId === undefined) return "upload_conflict";
  try {
    return (await checkedVersion(objectCopy, requireTag, tools)) === null ? "not_found" : null;
  } catch (error) {
    if (hasCode(error, "being_checked")) return "being_checked";
    if (hasCode(error, "blocked")) return "blocked";
    throw error;
  }
}

export async function abandonLarge(
  objectCopy: ObjectCopy,
  copy: LargeCopy,
  { objectStore, context }: StoreTools,
): Promise<void> {
  await objectStore.abortUpload(uploadOf(objectCopy, copy), context).catch((error: unknown) => {
    if (!hasCode(error, "upload_not_found")) throw error;
  });
  await objectCopy.room?.end(copy.uploadId);
}

const uploadOf = ({ bucket, to }: ObjectCopy, { uploadId }: LargeCopy): StoreUpload => ({
  bucket,
  key: to,
  uploadId,
  algorithm: null,
});

/** @returns whether all parts are there now */
async function copyParts(
  upload: StoreUpload,
  { key, versionId, etag, size }: LargeCopy & Pick<ObjectCopy, "versionId">,
  bounds: CopyBounds,
  { objectStore, context }: StoreTools,
): Promise<boolean> {
  const sizes = { size, partSize: partSizeFor(size, bounds.minPartBytes) };
  const missing = missingParts(sizes, await objectStore.listParts(upload, context));
  const { isComplete } = await runBounded(missing, bounds, (number) => {
    const start = (number - 1) * sizes.partSize;
    const end = start + bytesOfPart(sizes, number) - 1;
    return objectStore.copyPart(upload, { number, key, versionId, etag, start, end }, context);
  });
  return isComplete;
}
