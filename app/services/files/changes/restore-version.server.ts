import type { ServiceTools, StoreTools } from "../../../embed/service";
import type { Author } from "../../../events/event";
import { newEventId } from "../../../events/events.server";
import { PendingChange } from "../../../events/pending-change.server";
import { type ObjectVersion, unixSeconds } from "../../../providers/listings.server";
import { NULL_VERSION, type ObjectName } from "../../../providers/object-changes.server";
import type { RestoreFailure } from "../place/contract/changes-contract.server";
import type { RestoreVersionsRequest } from "../place/contract/history-contract.server";
import { HELD_SECONDS_OF_COPY, type Room } from "../place/room.server";
import type { RequiredTag } from "../place/scope.server";
import { versionsOfFile } from "../place/walk-versions";
import { copyObject, type ObjectCopy, type Outcome, versionToCopy } from "./copy-object.server";
import { type CreatedObject, endChange } from "./each-object.server";
import { isSameContent } from "./recognize-copy.server";

/** A version to make the newest again. */
interface VersionToRestore {
  bucket: string;
  key: string;
  /** the id of a version, or of a delete marker, which stands for the version below it */
  versionId: string;
}

interface CopyOptions {
  onConflict: RestoreVersionsRequest["onConflict"];
  /** with `replace`: the ETag of the only file that may be replaced; if there is another one, or none, the outcome is `name_taken` */
  replaces?: string;
  /** bytes; larger versions are copied in parts */
  maxSingleCopyBytes: number;
  /** whether the bucket keeps what is overwritten */
  keepsVersions(): Promise<boolean>;
  /** only a version with this tag is restored */
  requireTag: RequiredTag | undefined;
  /** if there is a quota */
  room: Room | undefined;
  /** the key to restore to if a newer file has the name; called only with `keep-both` */
  chooseName(): Promise<string>;
  /**
   * Called when this request has made the version the newest. Copies in parts do not call it, as many requests make one, nor does a copy that
   * replaces what only a copy in parts could bring back.
   */
  onCreated?(file: CreatedObject): void;
}

/**
 * Makes one version of a file the newest again. If only delete markers are newer, they are removed, and nothing has to be copied. Otherwise
 * the version is copied as a new version, and the newer ones are kept. Repeating it does no harm, except with `keep-both`.
 * @returns `outcome`, and `objectCopy` if a copy is needed; with the outcome `large`, the caller has to make it in parts. `unchanged`: the
 * file has that content already
 * @throws AppError `being_checked` and `blocked`, if a tag is required; failures of the store that are not about this object
 */
export async function restoreVersion(
  named: VersionToRestore,
  options: CopyOptions,
  author: Author,
  tools: ServiceTools,
): Promise<{ outcome: Outcome | "unchanged" | "would_be_lost"; objectCopy?: ObjectCopy }> {
  const { bucket, key, versionId } = named;
  const { onConflict, replaces, maxSingleCopyBytes, requireTag, room, keepsVersions, chooseName, onCreated } =
    options;
  const top = await findTop(named, tools);
  // No file is in the way if the file is deleted.
  const inTheWay = top.markers.length === 0 ? top.newest : undefined;
  if (replaces !== undefined && inTheWay === undefined) return { outcome: "name_taken" };
  if (top.newest !== undefined && isAtTop(named, top)) {
    if (top.markers.length === 0) return { outcome: "unchanged" };
    // A copy is checked when it is made.
    const shown = { bucket, key, versionId: top.newest.versionId, requireTag };
    if ((await versionToCopy(shown, top.newest, tools)) === null) return { outcome: "not_found" };
    const removed = await removeMarkers(named, top, author, room, tools);
    if (removed === "quota_exceeded") return { outcome: removed };
    if (removed) onCreated?.({ key, etag: top.newest.etag });
    return { outcome: "done" };
  }
  const version = await tools.objectStore.describeVersion(named, tools.context);
  if (version === null || version === "marker") return { outcome: "not_found" };
  if (inTheWay !== undefined) {
    if (isSameContent(version, contentOf(inTheWay))) return { outcome: "unchanged" };
    const isOther = replaces !== undefined && replaces !== inTheWay.etag;
    if (onConflict === "fail" || isOther) return { outcome: "name_taken" };
  }
  const isNumbered = inTheWay !== undefined && onConflict === "keep-both";
  if (!isNumbered && !(await keepsVersions()) && (await wouldBeOverwritten(named, tools)))
    return { outcome: "would_be_lost" };
  const place = { bucket, key, versionId, to: isNumbered ? await chooseName() : key };
  const objectCopy = copyOf(place, { maxSingleCopyBytes, requireTag, room }, author, tools);
  const replaced = isNumbered ? undefined : inTheWay;
  const isUndoable = onCreated && (replaced === undefined || replaced.size <= maxSingleCopyBytes);
  const noteCreated = isUndoable && {
    onCreated: (file: CreatedObject) => onCreated({ ...file, replaced: replaced?.versionId }),
  };
  const work = copyObject({ ...objectCopy, ...noteCreated, replaces }, version, tools);
  return { outcome: await endChange(objectCopy.change, work), objectCopy };
}

/**
 * While versioning is suspended, what is stored becomes the version `null`, and takes the place of another version `null`. Whether that would
 * lose content: the version itself may be that one.
 */
async function wouldBeOverwritten(
  { bucket, key, versionId }: VersionToRestore,
  { objectStore, context }: StoreTools,
): Promise<boolean> {
  if (versionId === NULL_VERSION) return false;
  const present = await objectStore.describeVersion({ bucket, key, versionId: NULL_VERSION }, context);
  return present !== null && present !== "marker";
}

/**
 * Undoes a restoring that replaced a file: the version that was replaced is made the newest again, unless somebody has changed the file since.
 * @param etag of what the restoring has made
 * @throws AppError as `restoreVersion`
 */
export async function restoreReplaced(
  { bucket, key, etag, replaced: versionId = "", requireTag, room, keepsVersions }: ReplacedObject,
  author: Author,
  tools: ServiceTools,
): Promise<"done" | RestoreFailure> {
  const { outcome } = await restoreVersion(
    { bucket, key, versionId },
    {
      onConflict: "replace",
      replaces: etag,
      maxSingleCopyBytes: Number.POSITIVE_INFINITY,
      keepsVersions,
      requireTag,
      room,
      chooseName: async () => key,
    },
    author,
    tools,
  );
  if (outcome === "name_taken" || outcome === "upload_conflict") return "changed";
  if (outcome === "large") throw new Error("An undo handle names no version that must be copied in parts.");
  return outcome === "unchanged" || outcome === "uncounted" ? "done" : outcome;
}

type ReplacedObject = CreatedObject & { bucket: string } & Pick<
    CopyOptions,
    "requireTag" | "room" | "keepsVersions"
  >;

/** Describes a copy that makes the version the newest of its file, or puts it under another name. */
export function copyOf(
  { bucket, key, versionId, to }: VersionToRestore & { to: string },
  limits: Pick<CopyOptions, "maxSingleCopyBytes" | "requireTag" | "room">,
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
    ...limits,
    isMove: false,
    // The store keeps the version that is overwritten.
    overwrite: isItself,
    maxFileBytes: undefined,
    change: new PendingChange(events, { ...author, type: "file.restored", bucket, key: to, data }),
  };
}

/** The newest content of a file, and the delete markers that hide it. */
interface TopOfFile {
  /** delete markers above all content, newest first; empty if the file exists */
  markers: ObjectVersion[];
  /** the newest version with content */
  newest: ObjectVersion | undefined;
}

export async function findTop(file: ObjectName, tools: StoreTools): Promise<TopOfFile> {
  const markers: ObjectVersion[] = [];
  for await (const version of versionsOfFile(file, tools)) {
    if (!version.isMarker) return { markers, newest: version };
    markers.push(version);
  }
  return { markers, newest: undefined };
}

/** Whether removing delete markers, if there are any, restores the version: it is the newest one, or a marker that hides that one. */
const isAtTop = ({ versionId }: VersionToRestore, { markers, newest }: TopOfFile) =>
  newest !== undefined && [...markers, newest].some((version) => version.versionId === versionId);

/**
 * Brings a file back from under its delete markers.
 * @returns whether this request has done so, and not another one at the same time; `quota_exceeded` if there is no room for it
 */
export async function removeMarkers(
  { bucket, key }: ObjectName,
  { markers, newest }: TopOfFile,
  author: Author,
  room: Room | undefined,
  { objectStore, events, context }: ServiceTools,
): Promise<boolean | "quota_exceeded"> {
  if (markers.length === 0 || newest === undefined) return false;
  const { versionId, size, etag } = newest;
  const uploadId = newEventId();
  const stored = { key, bytes: size, uploadId, heldSeconds: HELD_SECONDS_OF_COPY };
  if (room && !(await room.hasTaken(stored))) return "quota_exceeded";
  const data = { version: versionId, size, etag };
  const change = new PendingChange(events, { ...author, type: "file.restored", bucket, key, data });
  await change.recordPending();
  for (const { versionId: version } of markers) {
    const { marker, wasRepeated } = await objectStore.removeObject({ bucket, key, version }, context);
    if (marker !== undefined || wasRepeated) change.noteMade();
  }
  await room?.end(uploadId);
  await change.end();
  return change.isMade;
}

const contentOf = ({ size, etag, lastModified }: ObjectVersion) => ({
  size,
  etag,
  modified: unixSeconds(lastModified),
});
