import { createHash } from "node:crypto";
import { AppError } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectContent, ObjectDescription } from "../../../providers/object-changes.server";
import { isOtherContent, isSameContent, isYounger } from "./same-content";

/** An object, and the key at which there may be a copy of it. */
export interface Place {
  bucket: string;
  key: string;
  to: string;
  isMove: boolean;
}

/**
 * Whether what is `there`, at `to`, certainly holds the bytes of `source`: then it is what an earlier attempt of this request has left. For a
 * move it also has to be younger, because the source goes: else it could as well be the source of a copy that another move has just made of it.
 *
 * Neither a composite checksum nor the ETag of an upload in parts, or of what is encrypted by a key of KMS, is that of a copy. Where nothing
 * else tells, the store is asked to compare the two. docs/decisions/0079
 */
export async function isCopyOf(
  source: ObjectContent,
  there: ObjectDescription,
  { bucket, key, to, isMove }: Place,
  { objectStore, request }: Pick<ServiceTools, "objectStore" | "request">,
): Promise<boolean> {
  if (isMove && !isYounger(there, source)) return false;
  if (isSameContent(source, there)) return true;
  if (source.size !== there.size) return false;
  if (there.mark === markOf({ bucket, key }, source)) return true;
  const original = await objectStore.describeObject({ bucket, key }, request);
  if (original?.etag !== source.etag) return false;
  if (isSameContent(original, there)) return true;
  if (isOtherContent(original, there) || !isYounger(there, source)) return false;
  const pair = { bucket, key, etag: source.etag, to, toEtag: there.etag };
  return objectStore.holdSameBytes(pair, request).catch((error: unknown) => {
    // One has changed meanwhile, or the store does not compare: then it is not certain.
    if (error instanceof AppError && error.code !== "unavailable") return false;
    throw error;
  });
}

/** What a copy by parts says of its source, in its metadata: of another version of it, it would say something else. */
export function markOf(
  { bucket, key }: { bucket: string; key: string },
  { etag, size }: Pick<ObjectContent, "etag" | "size">,
): string {
  return createHash("sha256")
    .update(JSON.stringify([bucket, key, etag, size]))
    .digest("base64url");
}
