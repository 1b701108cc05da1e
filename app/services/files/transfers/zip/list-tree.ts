import { mapConcurrently } from "../../../../map-concurrently";
import type { FileEntry, FolderEntry, Listing } from "../../storage-contract.server";
import { persist, type RetryTiming, realTiming } from "../retry";
import type { ArchiveEntry } from "./archive-entry";
import { entryPaths } from "./entry-paths";

/** So many folders are listed at a time. */
const AT_ONCE = 4;

export interface TreeTools {
  /** one page of a folder */
  list(folderPath: string, cursor: string | null, signal: AbortSignal): Promise<Listing>;
  /** the files that have been found so far */
  onFound?(files: number): void;
  timing?: RetryTiming;
}

/** What is to be put into an archive: files, and folders with all that is in them. */
export interface Chosen {
  files: readonly FileEntry[];
  folders: readonly FolderEntry[];
}

interface FoundFolder {
  /** in the store, as `list` takes it */
  path: string;
  /** from where the chosen ones are; ends with `/` */
  name: string;
}

/**
 * The entries of an archive of what is chosen, in the order of their paths, at whatever depth; folders too, so that empty ones
 * are not lost. Rejects with a StorageProblem or the signal's reason.
 */
export async function listTree(
  { files, folders }: Chosen,
  tools: TreeTools,
  signal: AbortSignal,
): Promise<ArchiveEntry[]> {
  const found = files.map((file) => foundFile(file, ""));
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  let level: FoundFolder[] = folders.map(({ path, name }) => ({ path, name: `${name}/` }));
  let count = found.length;
  try {
    signal.throwIfAborted();
    while (level.length > 0) level = (await mapConcurrently(level, AT_ONCE, listFolder)).flat();
  } finally {
    signal.removeEventListener("abort", onAbort);
    // The others of its level, when one folder has failed.
    stop.abort();
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
      const page: Listing = await listPage(folder.path, cursor, tools, stop.signal);
      for (const file of page.files) found.push(foundFile(file, folder.name));
      for (const { name, path } of page.folders) inner.push({ path, name: `${folder.name}${name}/` });
      count += page.files.length;
      tools.onFound?.(count);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return inner;
  }
}

function foundFile({ name, key, size, etag, lastModified }: FileEntry, folder: string): ArchiveEntry {
  // Some stores list it without its quotation marks.
  const quoted = etag === "" || etag.includes('"') ? etag : `"${etag}"`;
  return { path: folder + name, key, size, etag: quoted, modified: Date.parse(lastModified) };
}

/** One page, again and again where the failure is one that passes. */
function listPage(
  folderPath: string,
  cursor: string | null,
  { list, timing = realTiming }: TreeTools,
  signal: AbortSignal,
): Promise<Listing> {
  return persist(
    () => list(folderPath, cursor, signal),
    timing,
    () => {},
    signal,
  );
}
