import type { RetryTiming } from "platform-embed-element/client";
import { realWorld, retryTimingOf, withRetries } from "platform-embed-element/client";
import { visibleText } from "../../../../locales/visible-text";
import { mapConcurrently } from "../../../../shared/map-concurrently";
import type { FileEntry, FolderEntry, Listing } from "../../place/contract/storage-contract.server";
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

/** Texts in an archive, in the person's language. */
export interface ArchiveWords {
  /** the name of the text file that lists changed names */
  renamedFile: string;
  /** its first sentence */
  renamedIntro: string;
  /** the name of the folder for files whose paths are too long */
  longFolder: string;
}

/** The entries of an archive. */
export interface Tree {
  entries: ArchiveEntry[];
  /** number of files and folders whose names had to be changed */
  renamed: number;
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
 * The entries of an archive, sorted by path. Folders are entries, too, so that empty ones are kept. If names had to be changed, the last entry
 * is a text file that lists them.
 * @throws a FilesError or the signal's reason
 */
export async function listTree(
  { files, folders }: Chosen,
  words: ArchiveWords,
  tools: TreeTools,
  signal: AbortSignal,
): Promise<Tree> {
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
  return withSafePaths(found, words);

  /** Returns the folders in it. */
  async function listFolder(folder: FoundFolder): Promise<FoundFolder[]> {
    found.push({ path: folder.name, key: "", size: 0, etag: "", modified: Date.now() });
    const inner: FoundFolder[] = [];
    let cursor: string | null = null;
    do {
      const list = () => tools.list(folder.path, cursor, stop);
      const page: Listing = await withRetries(list, tools.timing ?? retryTimingOf(realWorld), {
        signal: stop,
      });
      for (const file of page.files) found.push(foundFile(file, folder.name));
      for (const { name, path } of page.folders) inner.push({ path, name: `${folder.name}${name}/` });
      count += page.files.length;
      tools.onFound?.(count);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return inner;
  }
}

/** The entries with paths that every system can create, and the list of those that had to be changed. */
function withSafePaths(found: readonly ArchiveEntry[], words: ArchiveWords): Tree {
  const paths = entryPaths(
    found.map(({ path }) => path),
    words.longFolder,
  );
  const entries: ArchiveEntry[] = [];
  const changed: string[] = [];
  const folders = new Set<string>();
  for (const [index, entry] of found.entries()) {
    const path = paths[index] ?? entry.path;
    // What a folder holds says that it is there. Two folders may get one name.
    const isNeedless = isFolder(entry) && path !== entry.path && isParent(entry, found[index + 1]);
    if (isNeedless || folders.has(path)) continue;
    if (isFolder(entry)) folders.add(path);
    entries.push({ ...entry, path });
    if (path !== entry.path) changed.push(`${visibleText(entry.path)}  →  ${path}`);
  }
  if (changed.length === 0) return { entries, renamed: 0 };
  const text = `${words.renamedIntro}\r\n\r\n${changed.join("\r\n")}\r\n`;
  const list = entryPaths([...entries.map(({ path }) => path), words.renamedFile], words.longFolder);
  const size = new TextEncoder().encode(text).length;
  entries.push({ path: list.at(-1) ?? "", key: "", size, etag: "", modified: Date.now(), text });
  return { entries, renamed: changed.length };
}

const isFolder = ({ path }: ArchiveEntry) => path.endsWith("/");
const isParent = ({ path }: ArchiveEntry, next: ArchiveEntry | undefined) => next?.path.startsWith(path);

function foundFile(
  { name, key, size, etag, lastModified, versionId }: FileEntry,
  folder: string,
): ArchiveEntry {
  // Some stores list ETags without quotation marks.
  const quoted = etag === "" || etag.includes('"') ? etag : `"${etag}"`;
  const version = versionId !== undefined && { versionId };
  // The content of a folder's own object has the folder's name, which may be empty, and a slash.
  const path = folder + (name.replace(/\/$/, "") || "_");
  return { path, key, ...version, size, etag: quoted, modified: Date.parse(lastModified) };
}

/** A file or folder of an archive. Plain data, so that it can be posted to a worker. */
export interface ArchiveEntry extends ZipEntry {
  /** key in the store; empty for a folder, and for a file with a `text` */
  key: string;
  /** of an older version */
  versionId?: string;
  /** as listed; empty if unknown */
  etag: string;
  /** the content of a file that is not in the store */
  text?: string;
}
