import type { ServiceTools, StoreTools } from "../../../embed/service";
import type { Author } from "../../../events/event";
import { RecordedChange } from "../../../events/recorded-change.server";
import { type ObjectVersion, unixSeconds } from "../../../providers/listings.server";
import { copyObject, type ObjectCopy, type Outcome } from "../changes/copy-object.server";
import { endChange } from "../changes/count-outcomes.server";
import { isSameContent } from "../changes/recognize-copy.server";
import type { RestoreVersionsRequest } from "./history-contract.server";
import { versionsOfFile } from "./walk-versions";

/** A version to make the newest again. */
export interface VersionToRestore {
  bucket: string;
  key: string;
  /** the id of a version, or of a delete marker, which stands for the version below it */
  versionId: string;
}

interface CopyOptions {
  onConflict: RestoreVersionsRequest["onConflict"];
  /** bytes; larger versions are copied in parts */
  maxSingleCopyBytes: number;
  /** the key to restore to if a newer file has the name; called only with `keep-both` */
  chooseName(): Promise<string>;
}

/**
 * Makes one version of a file the newest again. If only delete markers are newer, they are removed, and nothing has to be copied. Otherwise
 * the version is copied as a new version, and the newer ones are kept. Repeating it does no harm, except with `keep-both`.
 * @returns `outcome`, and `objectCopy` if a copy is needed; with the outcome `large`, the caller has to make it in parts
 * @throws AppError failures of the store that are not about this object
 */
export async function restoreVersion(
  named: VersionToRestore,
  options: CopyOptions,
  author: Author,
  tools: ServiceTools,
): Promise<{ outcome: Outcome; objectCopy?: ObjectCopy }> {
  const found = await findVersion(named, tools);
  if (found === undefined) return { outcome: "not_found" };
  const { newer, version } = found;
  if (newer.every(({ isMarker }) => isMarker)) {
    await removeMarkers(named, found, author, tools);
    return { outcome: "done" };
  }
  const { bucket, key } = named;
  const { onConflict, maxSingleCopyBytes, chooseName } = options;
  // No file is in the way if the file is deleted.
  const inTheWay = newer.find(({ isLatest, isMarker }) => isLatest && !isMarker);
  if (inTheWay !== undefined) {
    if (onConflict === "fail") return { outcome: "name_taken" };
    const isSame = isSameContent(contentOf(version), contentOf(inTheWay));
    if (onConflict === "replace" && isSame) return { outcome: "done" };
  }
  const isNumbered = inTheWay !== undefined && onConflict === "keep-both";
  const place = { bucket, key, versionId: version.versionId, to: isNumbered ? await chooseName() : key };
  const objectCopy = copyOf(place, maxSingleCopyBytes, author, tools);
  const work = copyObject(objectCopy, contentOf(version), tools);
  return { outcome: await endChange(objectCopy.change, work), objectCopy };
}

/** Restores a deleted file, unless a newer file has the name. @throws AppError as `restoreVersion` */
export async function restoreDeleted(
  named: VersionToRestore,
  author: Author,
  tools: ServiceTools,
): Promise<"done" | "not_found" | "name_taken"> {
  const found = await findVersion(named, tools);
  if (found === undefined) return "not_found";
  if (!found.newer.every(({ isMarker }) => isMarker)) return "name_taken";
  await removeMarkers(named, found, author, tools);
  return "done";
}

/** Describes a copy that makes the version the newest of its file, or puts it under another name. */
export function copyOf(
  { bucket, key, versionId, to }: VersionToRestore & { to: string },
  maxSingleCopyBytes: number,
  author: Author,
  { events }: Pick<ServiceTools, "events">,
): ObjectCopy {
  const isItself = to === key;
  const data = { ...(isItself ? {} : { from: key }), fromVersion: versionId };
  return {
    bucket,
    key,
    versionId,
    to,
    maxSingleCopyBytes,
    isMove: false,
    // The store keeps the version that is overwritten.
    overwrite: isItself,
    maxFileBytes: undefined,
    change: new RecordedChange(events, { ...author, type: "file.restored", bucket, key: to, data }),
  };
}

/** A version, and all newer versions and delete markers of its file, newest first. */
interface FoundVersion {
  newer: ObjectVersion[];
  version: ObjectVersion;
}

/** Finds a version, or for a delete marker the version below it. Undefined if the file has no such version. */
async function findVersion(named: VersionToRestore, tools: StoreTools): Promise<FoundVersion | undefined> {
  const newer: ObjectVersion[] = [];
  let isReached = false;
  for await (const version of versionsOfFile(named, tools)) {
    isReached ||= version.versionId === named.versionId;
    if (isReached && !version.isMarker) return { newer, version };
    newer.push(version);
  }
  return undefined;
}

async function removeMarkers(
  { bucket, key }: VersionToRestore,
  { newer, version }: FoundVersion,
  author: Author,
  { objectStore, events, context }: ServiceTools,
): Promise<void> {
  if (newer.length === 0) return;
  const { versionId, size, etag } = version;
  const data = { version: versionId, size, etag };
  const change = new RecordedChange(events, { ...author, type: "file.restored", bucket, key, data });
  await change.recordPending();
  for (const { versionId: version } of newer) {
    const { marker } = await objectStore.removeObject({ bucket, key, version }, context);
    if (marker !== undefined) change.noteMade();
  }
  await change.end();
}

const contentOf = ({ size, etag, lastModified }: ObjectVersion) => ({
  size,
  etag,
  modified: unixSeconds(lastModified),
});
