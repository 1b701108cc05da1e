import { isFolderMarker, prefixOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import { compareKeys, type ObjectVersion, type VersionPosition } from "../../../providers/listings.server";
import { fileEntry, folderEntry } from "../browse/key-rows.server";
import { runBounded } from "../changes/each-object.server";
import type { Listing, ListRequest } from "../place/contract/storage-contract.server";
import type { FilesGrant } from "../place/scope-guards.server";
import { positionAfter, type WantedVersions, walkVersions } from "../place/walk-versions";
import { continueListing } from "./history-cursor.server";
import { folderInHistory } from "./history-guards.server";

/** The time limit of one request, milliseconds. */
const MAX_MS = 2_000;
const MAX_CONCURRENT_FOLDERS = 4;
/** maximum number of pages of versions that are read to find out whether a subfolder existed */
const MAX_PAGES_OF_SUBFOLDER = 3;
/** versions of one file of the same time that are compared: more than a store makes of one file in a second */
const SAME_TIME_PAGE_SIZE = 100;

/**
 * Lists a folder as it was at a point in time, by the times of its versions. One request takes about two seconds; the cursor continues. A
 * subfolder is listed if it contained something then. If that takes too many versions to find out, it is listed as well.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function listFolderAt(
  { bucket, at, cursor, pageSize, ...body }: Omit<ListRequest, "token" | "at"> & { at: string },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<Listing> {
  const prefix = prefixOf(folderInHistory({ bucket, ...body }, grant.scope));
  const { after, cursorAt } = continueListing({ of: at, bucket, prefix, cursor }, grant, tools);
  const moment = Date.parse(at);
  const { objectStore, context } = tools;
  const listPage = (after: VersionPosition | undefined) =>
    objectStore.listVersions({ bucket, prefix, after, isGrouped: true }, context);
  const choose = chooseForMoment(moment);
  const found = walkVersions(after, listPage, choose);
  const folders: Listing["folders"] = [];
  const files: Listing["files"] = [];
  const { last, isComplete } = await runBounded(
    found,
    { ms: MAX_MS, objects: Number.POSITIVE_INFINITY, concurrency: MAX_CONCURRENT_FOLDERS },
    async (one) => {
      if ("within" in one) return;
      if ("prefix" in one) {
        if (await wasThere({ bucket, prefix: one.prefix, moment }, tools)) {
          folders.push(folderEntry(one.prefix));
        }
        return;
      }
      const version = await versionAt(one.versions, bucket, tools);
      if (version === undefined || isFolderMarker(version.key, version.size)) return;
      files.push({ ...fileEntry(version), versionId: version.versionId });
    },
    () => folders.length + files.length >= pageSize,
  );
  return {
    folders: folders.sort(byName),
    files: files.sort(byName),
    nextCursor: cursorAt(isComplete ? null : last && positionAfter(last)),
  };
}

const byName = (one: { name: string }, other: { name: string }) => compareKeys(one.name, other.name);

/** The version of a file at that point in time; undefined if the file did not exist. @param versions as `chooseForMoment` chose them */
async function versionAt(
  versions: readonly ObjectVersion[],
  bucket: string,
  { objectStore, context }: ServiceTools,
): Promise<ObjectVersion | undefined> {
  const object = versions.find(({ isMarker }) => !isMarker);
  const marker = versions.find(({ isMarker }) => isMarker);
  if (object === undefined || marker === undefined) return object;
  // Both are of the same time. The store lists the delete marker after the object if it is the older one.
  const after = { key: object.key, versionId: object.versionId };
  const page = await objectStore.listVersions(
    { bucket, prefix: object.key, after, pageSize: SAME_TIME_PAGE_SIZE },
    context,
  );
  return page.versions.some(({ versionId }) => versionId === marker.versionId) ? object : undefined;
}

/**
 * The object or the delete marker that was the newest version at a point in time (unix milliseconds); both if they have the same time, so
 * that their order is unknown.
 */
function chooseForMoment(moment: number): (versions: readonly ObjectVersion[]) => WantedVersions {
  return (versions) => {
    const ofThen = versions.filter(({ lastModified }) => lastModified.getTime() <= moment);
    const [newest] = ofThen;
    if (newest === undefined) return { wanted: [], older: "read_or_stop" };
    if (newest.isLatest) return { wanted: [newest], older: "skip" };
    const sameTime = ofThen.filter(
      ({ lastModified }) => lastModified.getTime() === newest.lastModified.getTime(),
    );
    const object = sameTime.find(({ isMarker }) => !isMarker);
    const marker = sameTime.find(({ isMarker }) => isMarker);
    const isDecided = sameTime.length < ofThen.length || (object !== undefined && marker !== undefined);
    return {
      wanted: [object, marker].filter((version) => version !== undefined),
      older: isDecided ? "skip" : "read",
    };
  };
}

/**
 * Whether a subfolder contained anything at that time; true if finding out takes more than `MAX_PAGES_OF_SUBFOLDER` pages, or if a file was
 * deleted in the very second in which it was stored.
 */
async function wasThere(
  { bucket, prefix, moment }: { bucket: string; prefix: string; moment: number },
  { objectStore, context }: ServiceTools,
): Promise<boolean> {
  let pages = 0;
  const listPage = (after: VersionPosition | undefined) => {
    pages += 1;
    return objectStore.listVersions({ bucket, prefix, after }, context);
  };
  for await (const one of walkVersions(undefined, listPage, chooseForMoment(moment))) {
    if ("versions" in one && one.versions.some(({ isMarker }) => !isMarker)) return true;
    if (pages >= MAX_PAGES_OF_SUBFOLDER) return true;
  }
  return false;
}
