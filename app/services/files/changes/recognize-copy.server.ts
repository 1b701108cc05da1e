import { hash } from "node:crypto";
import type { StoreTools } from "../../../embed/service";
import type { ObjectContent } from "../../../providers/listings.server";
import type { ObjectDescription } from "../../../providers/object-changes.server";

/** An object, and the key at which there may be a copy of it. */
interface CopyLocation {
  bucket: string;
  key: string;
  /** of the object, if it is an older version */
  versionId?: string | undefined;
  to: string;
  isMove: boolean;
}

/**
 * Whether `target`, the object at `to`, is known to be a copy of `source`: an earlier attempt of this request has then made it. If neither
 * ETag nor checksum can tell (some multipart uploads), it is treated as another file, so the name is taken. So is an upload of the same
 * bytes: a copy has the upload mark of its source.
 *
 * A move deletes its source, so for a move the object must also be newer: otherwise it could be the source of a copy that another move is
 * about to make.
 */
export async function isCopyOf(
  source: ObjectContent | ObjectDescription,
  target: ObjectDescription,
  { bucket, key, versionId, isMove }: CopyLocation,
  { objectStore, context }: StoreTools,
): Promise<boolean> {
  if (isMove && !isNewer(target, source)) return false;
  if (source.size !== target.size) return false;
  // A copy in parts may have another ETag than its source. The mark tells of which version it is.
  if (target.copyMark === copyMarkOf({ bucket, key }, source)) return true;
  // A listing has no checksums and no marks.
  const original =
    "uploadMark" in source ? source : await objectStore.describeObject({ bucket, key, versionId }, context);
  // The source has changed or is gone since it was listed. Whoever deletes it finds that out.
  if (original?.etag !== source.etag) return isSameContent(source, target);
  return original.uploadMark === target.uploadMark && isSameContent(original, target);
}

/** The copy mark of a multipart copy: it identifies the version of the source that was copied. */
export function copyMarkOf(
  { bucket, key }: { bucket: string; key: string },
  { etag, size }: Pick<ObjectContent, "etag" | "size">,
): string {
  return hash("sha256", JSON.stringify([bucket, key, etag, size]), "base64url");
}

/**
 * Whether two objects are known to hold the same bytes, by their checksums or ETags. The ETag of a multipart upload
 * differs from its copy's.
 */
export function isSameContent(one: ObjectContent, other: ObjectContent): boolean {
  if (one.size !== other.size) return false;
  if (one.size === 0) return true;
  if (one.checksum !== undefined && one.checksum === other.checksum) return true;
  return one.etag !== "" && one.etag === other.etag;
}

/** Whether `copy` was made after `source`. When both are of the same second, either could be the copy. */
export function isNewer(copy: ObjectContent, source: ObjectContent): boolean {
  return copy.modified > source.modified;
}

/** Whether the copy cannot be told from its source: same size and, if both have a checksum of one algorithm, the same checksum. */
export function isFaithful(copy: ObjectContent, source: ObjectContent): boolean {
  if (copy.size !== source.size) return false;
  const [algorithm, sourceAlgorithm] = [copy, source].map(({ checksum }) => checksum?.split(":", 1)[0]);
  return algorithm === undefined || algorithm !== sourceAlgorithm || copy.checksum === source.checksum;
}
