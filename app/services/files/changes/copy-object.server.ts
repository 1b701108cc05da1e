import { byteLength, isFolderMarker, MAX_PATH_BYTES } from "platform-embed-element/client";
import type { StoreTools } from "../../../embed/service";
import { newEventId } from "../../../events/events.server";
import type { PendingChange } from "../../../events/pending-change.server";
import { wasRepeated } from "../../../providers/connection-errors";
import type { ObjectContent } from "../../../providers/listings.server";
import { keptVersion, NULL_VERSION, type ObjectDescription } from "../../../providers/object-changes.server";
import { hasCode } from "../../../shared/app-error";
import type { FailureCode } from "../place/contract/changes-contract.server";
import { checkedVersion } from "../place/required-tag.server";
import { HELD_SECONDS_OF_COPY, type Room } from "../place/room.server";
import type { RequiredTag } from "../place/scope.server";
import type { CreatedObject } from "./each-object.server";
import { isCopyOf, isFaithful, isNewer, isSameContent } from "./recognize-copy.server";

/** One object to copy or move. */
export interface ObjectCopy {
  bucket: string;
  key: string;
  /** of the source, if it is an older version; not for a move */
  versionId?: string | undefined;
  /** the key of the copy */
  to: string;
  /** delete the source afterwards */
  isMove: boolean;
  overwrite: boolean;
  /** with `overwrite`: the ETag of the only object that may be overwritten */
  replaces?: string | undefined;
  /** see `Copy.maxFileBytes` */
  maxFileBytes: number | undefined;
  /** larger objects are copied in parts */
  maxSingleCopyBytes: number;
  /** see `checkedVersion` */
  requireTag: RequiredTag | undefined;
  /** if there is a quota */
  room?: Room | undefined;
  /** of a move: see `MoveBack` */
  moveBack?:
    | {
        bringBack(move: ObjectCopy, source: ObjectContent): Promise<MadeCopy | "quota_exceeded" | undefined>;
      }
    | undefined;
  /** Of a move: whether its request still has its claims. Without them, nothing is deleted. @throws AppError `unavailable` */
  isClaimed?: (() => Promise<boolean>) | undefined;
  /** its event; whoever has this object copied ends it */
  change: PendingChange;
  /** Called when this request has created the copy, not when one was there already. */
  onCreated?(copy: CreatedObject): void;
}

/**
 * `uncounted`: nothing is left to do, because an earlier attempt has done it. `large`: the object has to be copied in
 * parts.
 */
export type Outcome = "done" | "uncounted" | "large" | FailureCode;

/** A move that copied an object this long ago has deleted the source or never will: no request lives longer. */
const MAX_MOVE_SECONDS = 120;
/** Maximum number of attempts for an object that somebody else keeps changing. */
const MAX_ATTEMPTS = 3;

/**
 * Copies one object, compares the two, and for a move deletes the source. If the process is killed, the object is in at
 * least one of the two places, and the same request finishes the work. The caller claims both objects of a move, and the copy.
 * @param source as it was listed; undefined when it was not
 * @throws AppError `being_checked` and `blocked`, if a tag is required, and those of the store that are not about this object
 */
export async function copyObject(
  objectCopy: ObjectCopy,
  source: ObjectContent | undefined,
  tools: StoreTools,
): Promise<Outcome> {
  const { bucket, key, versionId, to } = objectCopy;
  if (key === to && versionId === undefined) return "uncounted";
  if (byteLength(to) > MAX_PATH_BYTES) return "name_too_long";
  const describe = (object: { key: string; versionId?: string | undefined }) =>
    tools.objectStore.describeObject({ bucket, ...object }, tools.context);
  let current = source;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    current ??= (await describe({ key, versionId })) ?? undefined;
    if (current === undefined) {
      // The source of a move is gone: most likely it has been moved already.
      return objectCopy.isMove && (await describe({ key: to })) !== null ? "uncounted" : "not_found";
    }
    if (isOverLimit(objectCopy, current)) return "too_large";
    const checked = await versionToCopy(objectCopy, current, tools);
    // When it is gone since it was described, the next attempt finds that out.
    const copied =
      checked &&
      ((await objectCopy.moveBack?.bringBack(objectCopy, current)) ??
        (await copyOnce({ ...objectCopy, ...checked }, current, describe, tools)));
    const made = typeof copied === "object" ? (copied ?? undefined) : undefined;
    if (made !== undefined || copied === "done")
      return objectCopy.isMove ? removeSource(objectCopy, current, made, tools) : "done";
    if (typeof copied === "string" && copied !== "again") return copied;
    current = undefined;
  }
  return "upload_conflict";
}

/** The version to copy; null if there is none any more. @throws AppError as `checkedVersion` */
export async function versionToCopy(
  { bucket, key, versionId, requireTag }: Pick<ObjectCopy, "bucket" | "key" | "versionId" | "requireTag">,
  { size }: Pick<ObjectContent, "size">,
  tools: StoreTools,
): Promise<{ versionId: string | undefined } | null> {
  // Scanners skip it, and it has no content.
  if (isFolderMarker(key, size)) return { versionId };
  return checkedVersion({ bucket, key, versionId }, requireTag, tools);
}

export function isOverLimit(
  { maxFileBytes = Number.POSITIVE_INFINITY }: ObjectCopy,
  { size }: Pick<ObjectContent, "size">,
): boolean {
  return size > maxFileBytes;
}

/** A copy that this request has made. */
export interface MadeCopy {
  etag: string;
  /** undefined if the bucket never kept versions */
  version?: string | undefined;
  /** It is no copy, but the version that was there before. See `MoveBack`. */
  isBroughtBack?: true;
}

/** What a copy or move stores, also a move that brings a version back in place of a copy. */
export const storedOf = ({ key, to, isMove }: ObjectCopy, { size }: ObjectContent) => ({
  ...{ key: to, bytes: size, uploadId: newEventId(), heldSeconds: HELD_SECONDS_OF_COPY },
  movedFrom: isMove ? key : undefined,
});

/**
 * Returns the copy, or `done` if an earlier attempt has made it. `again`: the source has changed or is gone since it was described.
 *
 * Two moves at the same time, there and back, must not each take the other's object for its own copy and delete its
 * source. So a move leaves alone an object that was made just now, has the bytes of the one that it would replace, and
 * is the younger of the two: another move is about to finish it.
 */
async function copyOnce(
  objectCopy: ObjectCopy,
  source: ObjectContent,
  describe: (object: { key: string; versionId?: string | undefined }) => Promise<ObjectDescription | null>,
  { objectStore, context }: StoreTools,
): Promise<MadeCopy | "done" | "again" | "large" | "name_taken" | "upload_conflict" | "quota_exceeded"> {
  const { bucket, key, versionId, to, isMove, overwrite, replaces, maxSingleCopyBytes, change } = objectCopy;
  const isRecent = source.modified > objectStore.storeSeconds() - MAX_MOVE_SECONDS;
  // See `enforcesConditions`.
  const existing = overwrite && !(isMove && isRecent) ? null : await describe({ key: to });
  if (existing !== null && !overwrite) return doneOrTaken(existing);
  if (existing !== null && isSameContent(source, existing) && !isNewer(existing, source))
    return "upload_conflict";
  if (source.size > maxSingleCopyBytes) return "large";
  let made: MadeCopy;
  const stored = storedOf(objectCopy, source);
  const { uploadId } = stored;
  if (objectCopy.room && !(await objectCopy.room.hasTaken(stored))) return "quota_exceeded";
  await change.recordPending({ size: source.size, etag: source.etag });
  try {
    made = await objectStore.copyObject(
      { ...source, bucket, key, versionId, to, overwrite, replaces },
      context,
    );
    await objectCopy.room?.end(uploadId);
    // If two moves take one name at once and the store overwrites, the first one's source must not be deleted.
    const mayBeOverwritten = isMove && !overwrite && !objectStore.enforcesConditions;
    if (made.etag === source.etag && !mayBeOverwritten) {
      noteCreated(objectCopy, made);
      return made;
    }
  } catch (error) {
    if (!hasCode(error, "name_taken", "upload_conflict", "not_found")) throw error;
    await objectCopy.room?.end(uploadId);
    // Either another object has the name by now, or the source has changed.
    const meanwhile = overwrite && replaces === undefined ? null : await describe({ key: to });
    if (meanwhile === null) return "again";
    if (!wasRepeated(error) || !isSameContent(source, meanwhile)) return doneOrTaken(meanwhile);
    // The name was free just now: by the first attempt of this request, whose response was lost.
    const { etag } = meanwhile;
    noteCreated(objectCopy, { etag });
    return { etag };
  }
  // The copy of a multipart upload has another ETag.
  const [copy, original] = await Promise.all([describe({ key: to }), describe({ key, versionId })]);
  if (made.etag !== "" && copy?.etag !== made.etag) return "again";
  if (copy === null) return "again";
  // Without its source, the copy is all that there is to compare: a move finds out in `removeSource` that the source is gone.
  const isOther = original !== null && (original.etag !== source.etag || !isFaithful(copy, original));
  if (isOther) return "again";
  const copied = { ...made, etag: copy.etag };
  noteCreated(objectCopy, copied);
  return copied;

  async function doneOrTaken(found: ObjectDescription): Promise<"done" | "name_taken"> {
    return (await isCopyOf(source, found, objectCopy, { objectStore, context })) ? "done" : "name_taken";
  }
}

export function noteCreated(
  { to, isMove, change, onCreated }: ObjectCopy,
  { etag, version }: MadeCopy,
): void {
  // A move has not deleted its source yet.
  change.noteMade({ etag, version: keptVersion(version) }, isMove ? "file.copied" : undefined);
  onCreated?.({ key: to, etag });
}

/**
 * Deletes the source of a move, unless it has changed since it was copied. If the request has lost its claims, it deletes nothing more: the same
 * move may have come again, and taken the copy for its own. Then the copy may be all that is left, and the event is that move's, or `npm run
 * cleanup` finds out.
 * @param made the copy; undefined if an earlier attempt has made it
 * @returns `not_found` if the source is gone: another program has moved or deleted it meanwhile, and the copy was removed again;
 * `upload_conflict` if somebody else has changed it, or may be about to
 */
export async function removeSource(
  objectCopy: ObjectCopy,
  { size, etag }: Pick<ObjectContent, "size" | "etag">,
  made: MadeCopy | undefined,
  tools: StoreTools,
): Promise<"done" | "uncounted" | "not_found" | "upload_conflict"> {
  const { bucket, key, change } = objectCopy;
  if (made === undefined) await change.recordPending({ size, etag });
  if (!(await objectCopy.isClaimed?.())) return leaveToOthers();
  try {
    await tools.objectStore.removeObject({ bucket, key, etag }, tools.context);
    change.noteMade();
    return "done";
  } catch (error) {
    if (hasCode(error, "name_taken")) return "upload_conflict";
    if (!hasCode(error, "not_found")) throw error;
    if (made === undefined) return "uncounted";
    if (!(await objectCopy.isClaimed?.())) return leaveToOthers();
    await withdrawCopy(objectCopy, made, tools);
    return "not_found";
  }

  function leaveToOthers(): "upload_conflict" {
    change.noteUnmade();
    return "upload_conflict";
  }
}

/** Removes a copy whose source somebody else has moved: the file would exist twice. A copy that replaced something stays, unless that comes back. */
async function withdrawCopy(
  { bucket, to: key, overwrite, change }: ObjectCopy,
  { etag, version, isBroughtBack }: MadeCopy,
  { objectStore, context }: StoreTools,
): Promise<void> {
  // What was brought back is hidden again. Its version is no copy, and stays.
  const isVersion = version !== undefined && version !== NULL_VERSION && !isBroughtBack;
  if (overwrite && !isVersion && !isBroughtBack) return;
  try {
    await objectStore.removeObject({ bucket, key, ...(isVersion ? { version } : { etag }) }, context);
  } catch (error) {
    // It has been replaced or removed meanwhile.
    if (!hasCode(error, "name_taken", "not_found")) throw error;
  }
  change.noteUnmade();
}
