import { Semaphore } from "../../../shared/semaphore.js";
import { type RetryTiming, withRetries } from "../../retry.js";
import type { FileEntry, Row } from "../../rows.js";
import { entryPaths } from "./entry-paths.js";
import type { ZipEntry } from "./zip-bytes.js";

const MAX_CONCURRENT_LISTS = 4;

interface ListedPage {
  rows: readonly Row[];
  cursor: string | null;
}

interface TreeTools {
  /** one page of a folder */
  list(folderPath: string, cursor: string | undefined, signal: AbortSignal): Promise<ListedPage>;
  /** @param files number found so far */
  onFound?: ((files: number) => void) | undefined;
  timing: RetryTiming;
  /** milliseconds since 1970, for what has no time of its own */
  now: number;
}

/** Texts in an archive, in the person's language. */
export interface ArchiveWords {
  /** the name of the text file that lists changed names */
  renamedFile: string;
  /** its first sentence */
  renamedIntro: string;
  /** the name of the folder for files whose paths are too long */
  longFolder: string;
  /** a name in that list, as people may see it */
  visible(name: string): string;
}

/** The entries of an archive. */
export interface Tree {
  entries: ArchiveEntry[];
  /** number of files and folders whose names had to be changed */
  renamed: number;
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
 * @param items files, of which those with a `versionId` are older versions, and folders with everything in them
 * @throws a FilesError or the signal's reason
 */
export async function listTree(
  items: readonly Row[],
  words: ArchiveWords,
  tools: TreeTools,
  signal: AbortSignal,
): Promise<Tree> {
  const found: ArchiveEntry[] = [];
  let count = 0;
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const permits = new Semaphore(MAX_CONCURRENT_LISTS);
  signal.throwIfAborted();
  for (let level = add(items, ""); level.length > 0; ) {
    const lists = level.map((folder) => permits.run(() => listFolder(folder).catch(stopOthers), stop));
    level = (await Promise.all(lists)).flat();
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  return withSafePaths(found, words, tools.now);

  function stopOthers(error: unknown): never {
    failure.abort(error);
    throw error;
  }

  /** Adds the files. @returns the folders */
  function add(rows: readonly Row[], parent: string): FoundFolder[] {
    const files = rows.filter((row) => row.type === "file");
    for (const file of files) found.push(foundFile(file, parent));
    count += files.length;
    return rows
      .filter((row) => row.type === "folder")
      .map(({ path, name }) => ({ path, name: `${parent}${name}/` }));
  }

  /** Returns the folders in it. */
  async function listFolder(folder: FoundFolder): Promise<FoundFolder[]> {
    found.push({ path: folder.name, key: "", size: 0, etag: "", modified: tools.now });
    const inner: FoundFolder[] = [];
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const from: string | undefined = cursor;
      const list = () => tools.list(folder.path, from, stop);
      const page = await withRetries(list, tools.timing, { signal: stop });
      inner.push(...add(page.rows, folder.name));
      tools.onFound?.(count);
      cursor = page.cursor;
    }
    return inner;
  }
}

/** The entries with paths that every system can create, and the list of those that had to be changed. */
function withSafePaths(found: readonly ArchiveEntry[], words: ArchiveWords, now: number): Tree {
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
    if (path !== entry.path) changed.push(`${words.visible(entry.path)}  →  ${path}`);
  }
  if (changed.length === 0) return { entries, renamed: 0 };
  const text = `${words.renamedIntro}\r\n\r\n${changed.join("\r\n")}\r\n`;
  const list = entryPaths([...entries.map(({ path }) => path), words.renamedFile], words.longFolder);
  const size = new TextEncoder().encode(text).length;
  entries.push({ path: list.at(-1) ?? "", key: "", size, etag: "", modified: now, text });
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
  versionId?: string | undefined;
  /** as listed; empty if unknown */
  etag: string;
  /** the content of a file that is not in the store */
  text?: string;
}
