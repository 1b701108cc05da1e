import type { ObjectContent } from "../../../providers/object-changes.server";

/**
 * Whether two objects certainly hold the same bytes: by a checksum that both have, or by their ETags. An upload in parts has another ETag
 * than a copy of it.
 */
export function isSameContent(one: ObjectContent, other: ObjectContent): boolean {
  if (one.size !== other.size) return false;
  if (one.checksum !== undefined && one.checksum === other.checksum) return true;
  return one.etag !== "" && one.etag === other.etag;
}

/** Whether what is there can be the copy of `source` that an earlier attempt has made: a copy is no older than what it was made of. */
export function isNoOlder(there: ObjectContent, source: ObjectContent): boolean {
  return there.modified >= source.modified;
}

/** Whether a copy can be taken for its source: as far as the two can be compared, they are the same. */
export function isFaithful(copy: ObjectContent, source: ObjectContent): boolean {
  if (copy.size !== source.size) return false;
  const [algorithm, ownAlgorithm] = [copy, source].map(({ checksum }) => checksum?.split(":", 1)[0]);
  return algorithm === undefined || algorithm !== ownAlgorithm || copy.checksum === source.checksum;
}
