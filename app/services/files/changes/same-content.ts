import type { ObjectContent, ObjectDescription } from "../../../providers/object-changes.server";

/**
 * Whether two objects certainly hold the same bytes: by a checksum that both have, or by their ETags. An upload in parts has another ETag
 * than a copy of it.
 */
export function isSameContent(one: ObjectContent, other: ObjectContent): boolean {
  if (one.size !== other.size) return false;
  if (one.size === 0) return true;
  if (one.checksum !== undefined && one.checksum === other.checksum) return true;
  return one.etag !== "" && one.etag === other.etag;
}

/** Whether what is there can only be the copy, and `source` what it was made of: of the same second, each could be either. */
export function isYounger(there: ObjectContent, source: ObjectContent): boolean {
  return there.modified > source.modified;
}

/** Whether two objects certainly do not hold the same bytes; where neither this nor `isSameContent` holds, it is not known. */
export function isOtherContent(one: ObjectDescription, other: ObjectDescription): boolean {
  if (one.size !== other.size || (one.hasMd5 && other.hasMd5 && one.etag !== other.etag)) return true;
  return !isFaithful(one, other);
}

/** Whether a copy can be taken for its source: as far as the two can be compared, they are the same. */
export function isFaithful(copy: ObjectContent, source: ObjectContent): boolean {
  if (copy.size !== source.size) return false;
  const [algorithm, ownAlgorithm] = [copy, source].map(({ checksum }) => checksum?.split(":", 1)[0]);
  return algorithm === undefined || algorithm !== ownAlgorithm || copy.checksum === source.checksum;
}
