import {
  folderOfKey,
  isBelow,
  isFolderMarker,
  nameOf,
  nameOfKey,
  parentOf,
  pathOfKey,
  prefixOf,
} from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectVersion, VersionPosition } from "../../../providers/listings.server";
import { runBounded } from "../changes/each-object.server";
import type { DeletedFileList, DeletedFilesRequest } from "../place/contract/history-contract.server";
import type { FilesGrant } from "../place/scope-guards.server";
import { positionAfter, type WantedVersions, walkVersions } from "../place/walk-versions";
import { findAuthors } from "./find-authors.server";
import { type Deletion, findMoves } from "./find-moves.server";
import { continueListing } from "./history-cursor.server";
import { folderInHistory } from "./history-guards.server";

/** The time limit of one request, milliseconds. */
const MAX_MS = 2_000;
const MAX_FILES = 1_000;
/** Of the keys of one response, summed up: each may be in hundreds of folders, and looking at these holds up everybody else. */
const MAX_LEVELS = 20_000;

/**
 * Lists deleted files that can be restored, in a folder and its subfolders. One request takes about two seconds; the cursor continues.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function listDeleted(
  { bucket, cursor, ...body }: Omit<DeletedFilesRequest, "token">,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<DeletedFileList> {
  const folder = folderInHistory({ bucket, ...body }, grant.scope);
  const prefix = prefixOf(folder);
  const { after, cursorAt } = continueListing({ of: "deleted", bucket, prefix, cursor }, grant, tools);
  const { objectStore, context } = tools;
  const listPage = (after: VersionPosition | undefined) =>
    objectStore.listVersions({ bucket, prefix, after }, context);
  const walked = walkedFolders(folder);
  const found = walkVersions(after, listPage, (versions) => {
    walked.add(versions);
    return chooseForDeletion(versions);
  });
  const deletions: Deletion[] = [];
  const { last, isComplete } = await runBounded(
    found,
    { ms: MAX_MS, objects: Number.POSITIVE_INFINITY, concurrency: 1 },
    async (one) => {
      const deletion = "versions" in one ? toDeletion(one.versions) : undefined;
      if (deletion !== undefined) deletions.push(deletion);
    },
    () => deletions.length >= MAX_FILES || walked.levels >= MAX_LEVELS,
  );
  const place = { companyId: grant.companyId, bucket };
  const [wasMoved, authorOf] = await Promise.all([
    findMoves({ ...place, deletions }, tools),
    findAuthors({ ...place, versions: deletions.map(({ marker }) => marker), of: "deleted" }, tools),
  ]);
  const listed = deletions.filter((deletion) => !wasMoved(deletion));
  return {
    existingFolders: walked.existing(listed.map(({ marker }) => marker.key)),
    files: listed.map(({ marker, object }) => {
      const { key, size } = object;
      const isFolder = isFolderMarker(key, size);
      const visitor = authorOf(marker);
      return {
        key,
        name: isFolder ? nameOf(pathOfKey(key)) : nameOfKey(key),
        folderPath: isFolder ? parentOf(pathOfKey(key)) : folderOfKey(key),
        versionId: object.versionId,
        size,
        deletedAt: marker.lastModified.toISOString(),
        ...(visitor && { visitor }),
      };
    }),
    cursor: cursorAt(isComplete ? null : last && positionAfter(last)),
  };
}

/**
 * Which folders below `top` still exist. The keys of a folder follow each other, so of what a response does not tell, the next one can only
 * need the folders around its last key, and the one before those around its first.
 */
function walkedFolders(top: string) {
  const existing = new Set<string>();
  const existingAround = (key: string) =>
    [...foldersAround(key, top)].filter((folder) => existing.has(folder));
  let levels = 0;
  let first: string | undefined;
  let last = "";
  return {
    /** How many folders had to be looked at. */
    get levels(): number {
      return levels;
    },

    /** @param versions of one key, newest first; keys in their order */
    add([newest]: readonly ObjectVersion[]): void {
      if (newest === undefined) return;
      first ??= newest.key;
      last = newest.key;
      if (newest.isMarker) {
        levels += newest.key.split("/").length;
        return;
      }
      for (const folder of foldersAround(newest.key, top)) {
        if (existing.has(folder)) return;
        existing.add(folder);
        levels += 1;
      }
    },

    /** The innermost existing folder around each of these keys, and all around the first and the last key of all. */
    existing(keys: readonly string[]): string[] {
      const innermost = keys.flatMap((key) => existingAround(key).slice(0, 1));
      return [...new Set([...innermost, ...existingAround(first ?? ""), ...existingAround(last)])];
    },
  };
}

/** The folders below `top` that contain a key, the innermost first. */
function* foldersAround(key: string, top: string): Generator<string> {
  for (let folder = folderOfKey(key); isBelow(folder, top); folder = parentOf(folder)) yield folder;
}

/**
 * The delete marker that hides a file, and its newest content; the first alone if nothing but delete markers is left. If a listing continues
 * between many delete markers, the first of those counts as the newest.
 */
function chooseForDeletion([newest, ...older]: readonly ObjectVersion[]): WantedVersions {
  if (!newest?.isMarker) return { wanted: [], older: "skip" };
  const object = older.find(({ isMarker }) => !isMarker);
  return object ? { wanted: [newest, object], older: "skip" } : { wanted: [newest], older: "read_or_stop" };
}

function toDeletion([marker, object]: readonly ObjectVersion[]): Deletion | undefined {
  return marker && object && { marker, object };
}
