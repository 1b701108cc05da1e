import type { ServiceTools } from "../../../embed/service";
import type { ObjectVersion, VersionPosition } from "../../../providers/listings.server";
import { runBounded } from "../changes/run-bounded";
import { issueOfSegment, joinPath, prefixOf } from "../folder-path";
import type { FilesGrant } from "../scope-guards.server";
import type { Listing, ListRequest } from "../storage-contract.server";
import { readPosition, signPosition } from "./history-cursor.server";
import { folderInHistory } from "./history-guards.server";
import { positionAfter, walkVersions } from "./walk-versions";

/** How long one request looks, milliseconds. */
const MAX_MS = 2_000;
const MAX_CONCURRENT_FOLDERS = 4;
/** pages of versions in which a subfolder's first file of that time is looked for */
const MAX_PAGES_OF_SUBFOLDER = 3;

/**
 * One page of a folder as it was at a moment, by the times of its versions: as far as one request gets in two seconds. A subfolder is listed
 * if something was in it then; one with thousands of versions that are all of another time may be listed although it was not there.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function listFolderAt(
  { bucket, at, cursor, pageSize, ...body }: Omit<ListRequest, "token" | "at"> & { at: string },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<Listing> {
  const { scope, companyId } = grant;
  const folderPath = folderInHistory({ bucket, ...body }, scope);
  const prefix = prefixOf(folderPath);
  const listing = { of: at, companyId, bucket, prefix };
  const moment = Date.parse(at);
  const { objectStore, context } = tools;
  const found = walkVersions(readPosition(cursor, listing, tools), (after: VersionPosition | undefined) =>
    objectStore.listVersions({ bucket, prefix, after, isGrouped: true }, context),
  );
  const folders: Listing["folders"] = [];
  const files: Listing["files"] = [];
  const { last, isComplete } = await runBounded(
    found,
    { ms: MAX_MS, objects: Number.POSITIVE_INFINITY, concurrency: MAX_CONCURRENT_FOLDERS },
    async (one) => {
      const path = "prefix" in one ? one.prefix.slice(0, -1) : one.key;
      const name = path.slice(prefix.length);
      // The folder's own object has no name; keys that are not valid paths could not be named by any request.
      if (issueOfSegment(name) !== null) return;
      if ("prefix" in one) {
        if (await wasThere({ bucket, prefix: one.prefix, moment }, tools)) {
          folders.push({ name, path: joinPath(folderPath, name) });
        }
        return;
      }
      const version = versionAt(one.versions, moment);
      if (version === undefined) return;
      const { key, size, etag, versionId, lastModified } = version;
      files.push({ name, key, size, etag, versionId, lastModified: lastModified.toISOString() });
    },
    () => folders.length + files.length >= pageSize,
  );
  return {
    folders: folders.sort(byName),
    files: files.sort(byName),
    nextCursor: isComplete || last === undefined ? null : signPosition(listing, positionAfter(last), tools),
  };
}

const byName = (one: { name: string }, other: { name: string }) =>
  Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));

/** What a key contained at that moment, unix milliseconds; undefined if there was nothing. */
function versionAt(versions: readonly ObjectVersion[], moment: number): ObjectVersion | undefined {
  const newest = versions.find(({ lastModified }) => lastModified.getTime() <= moment);
  return newest?.isMarker ? undefined : newest;
}

/** Whether anything was in a subfolder; true if it takes too long to find out. */
async function wasThere(
  { bucket, prefix, moment }: { bucket: string; prefix: string; moment: number },
  { objectStore, context }: ServiceTools,
): Promise<boolean> {
  let pages = 0;
  const found = walkVersions(undefined, (after) => {
    pages += 1;
    return objectStore.listVersions({ bucket, prefix, after }, context);
  });
  for await (const one of found) {
    if ("versions" in one && versionAt(one.versions, moment) !== undefined) return true;
    if (pages >= MAX_PAGES_OF_SUBFOLDER) return true;
  }
  return false;
}
