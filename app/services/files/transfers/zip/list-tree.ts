import { mapConcurrently } from "../../../../shared/map-concurrently";
import type { FileEntry, FolderEntry, Listing } from "../../storage-contract.server";
import { type RetryTiming, realTiming, withRetries } from "../retry";
import { entryPaths } from "./entry-paths";
import type { ZipEntry } from "./zip-bytes";

const MAX_CONCURRENT_LISTS = 4;

interface TreeTools {
  /** one page of a folder */
  list(folderPath: string, cursor: string | null, signal: AbortSignal): Promise<Listing>;
  /** @param files number found so far */
  onFound?(files: number): void;
  timing?: RetryTiming;
}

/** Files, and folders with everything in them. */
export interface Chosen {
  /** files with a `versionId` are older versions */
  files: readonly FileEntry[];
  folders: readonly FolderEntry[];
}

interface FoundFolder {
  /** in the store, as `list` takes it */
  path: string;
  /** path in the archive; ends with `/` */
  name: string;
}

/**
 * The entries of an archive, sorted by path. Folders are entries, too, so that empty ones are kept. @throws a StorageProblem or the signal's reason
 */
export async function listTree(
  { files, folders }: Chosen,
  tools: TreeTools,
  signal: AbortSignal,
): Promise<ArchiveEntry[]> {
  const found = files.map((file) => foundFile(file, ""));
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  let level: FoundFolder[] = folders.map(({ path, name }) => ({ path, name: `${name}/` }));
  let count = found.length;
  try {
    signal.throwIfAborted();
    while (level.length > 0) level = (await mapConcurrently(level, MAX_CONCURRENT_LISTS, listFolder)).flat();
  } finally {
    // When one folder has failed, stop listing the others.
    failed.abort();
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  const paths = entryPaths(found.map(({ path }) => path));
  return found.map((entry, index) => ({ ...entry, path: paths[index] ?? entry.path }));

  /** Returns the folders in it. */
  async function listFolder(folder: FoundFolder): Promise<FoundFolder[]> {
    found.push({ path: folder.name, key: "", size: 0, etag: "", modified: Date.now() });
    const inner: FoundFolder[] = [];
    let cursor: string | null = null;
    do {
      const list = () => tools.list(folder.path, cursor, stop);
      const page: Listing = await withRetries(list, tools.timing ?? realTiming, { signal: stop });
      for (const file of page.files) found.push(foundFile(file, folder.name));
      for (const { name, path } of page.folders) inner.push({ path, name: `${folder.name}${name}/` });
      count += page.files.length;
      tools.onFound?.(count);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return inner;
  }
}

function foundFile(
  { name, key, size, etag, lastModified, versionId }: FileEntry,
  folder: string,
): ArchiveEntry {
  // Some stores list ETags without quotation marks.
  const quoted = etag === "" || etag.includes('"') ? etag : `"${etag}"`;
  const version = versionId !== undefined && { versionId };
  return { path: folder + name, key, ...version, size, etag: quoted, modified: Date.parse(lastModified) };
}

/** A file or folder of an archive. Plain data, so that it can be posted to a worker. */
export interface ArchiveEntry extends ZipEntry {
  /** key in the store; empty for a folder */
  key: string;
  /** of an older version */
  versionId?: string;
  /** as listed; empty if unknown */
  etag: string;
}
