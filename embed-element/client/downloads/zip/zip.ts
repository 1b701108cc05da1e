import { readPage } from "../../folder/folder-rows.js";
import { isAddressable } from "../../folder-path.js";
import { now } from "../../folder-time.js";
import { MAX_SIGNED_DOWNLOADS } from "../../limits.js";
import type { Call } from "../../request.js";
import { retryTimingOf } from "../../retry.js";
import type { Row } from "../../rows.js";
import type { World } from "../../world.js";
import { type ArchiveProgress, archiveBytes } from "./archive-bytes.js";
import { type ArchiveEntry, type ArchiveWords, listTree } from "./list-tree.js";
import { type SignKeys, signDownloads, type UrlSource } from "./signed-urls.js";
import { zipLength } from "./zip-bytes.js";

export interface ZipOptions {
  /** RFC 3339: the folders as they were then */
  at?: string | undefined;
  /** The token requires a tag of a malware scanner. Files that it has not found safe are left out. */
  onlyChecked?: boolean | undefined;
  /** by default, in English */
  words?: ArchiveWords | undefined;
  /** @param files number found so far */
  onFound?: ((files: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A file that an archive cannot contain. */
export interface LeftOut {
  /** in the archive; of a file that browsers cannot fetch, its key */
  path: string;
  code: "being_checked" | "blocked" | "not_addressable";
}

interface ReadOptions {
  /** Called often, always with the same object. */
  onProgress?: ((progress: Readonly<ArchiveProgress>) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** An archive that can be made. What is stored afterwards is not in it, and a file that changes meanwhile makes it fail. */
export interface Zip {
  /** Plain data: files and folders, in their order. */
  readonly entries: readonly ArchiveEntry[];
  readonly leftOut: readonly LeftOut[];
  /** number of files and folders that have other names in the archive; a text file in it lists them */
  readonly renamed: number;
  /** number of stored files, and their bytes together */
  readonly fileCount: number;
  readonly size: number;
  /** bytes of the whole archive */
  readonly length: number;
  /** Signs for those who make the bytes elsewhere, such as a service worker. */
  readonly sign: SignKeys;
  /** The archive. Files are fetched as the bytes are consumed, and a few small ones ahead. @throws a FilesError, or the signal's reason */
  bytes(options?: ReadOptions): AsyncGenerator<Uint8Array, void, undefined>;
  /** Writes it to `sink`, which is closed at the end, and aborted after a failure. @throws as `bytes`, or what the sink throws */
  writeTo(sink: WritableStream<Uint8Array>, options?: ReadOptions): Promise<void>;
}

const ENGLISH: ArchiveWords = {
  renamedFile: "Changed names.txt",
  renamedIntro: "Some systems cannot create these names, so they are different in this archive.",
  longFolder: "Long paths",
  visible: (name) => name,
};

const isFile = ({ key }: ArchiveEntry) => key !== "";
const never = new AbortController().signal;

/** Lists what belongs in the archive. @throws a FilesError, the signal's reason, or a RangeError for several versions of one file */
export async function makeZip(
  { downloads, call, world }: { downloads: UrlSource; call: Call; world: World },
  items: readonly Row[],
  { at, onlyChecked = false, words = ENGLISH, onFound, signal = never }: ZipOptions,
): Promise<Zip> {
  const time = at === undefined ? now : ({ kind: "at", moment: at } as const);
  const tree = await listTree(
    items,
    words,
    {
      list: (path, cursor, signal) => readPage(call, { path, time }, cursor, signal),
      onFound,
      timing: retryTimingOf(world),
      now: world.clock.date(),
    },
    signal,
  );
  const { entries: addressable, leftOut } = leaveOutUnaddressable(tree.entries);
  const unchecked = onlyChecked ? await findUnchecked(downloads, addressable, signal) : new Map();
  const entries = addressable.filter((entry) => !unchecked.has(entry));
  for (const [{ path }, code] of unchecked) leftOut.push({ path, code });
  const files = entries.filter(isFile);
  const sign = signDownloads(downloads, entries);
  const bytes: Zip["bytes"] = ({ onProgress, signal = never } = {}) =>
    archiveBytes(entries, { sign, onProgress, world }, signal);
  return {
    entries,
    leftOut,
    renamed: tree.renamed,
    fileCount: files.length,
    size: files.reduce((sum, { size }) => sum + size, 0),
    length: zipLength(entries),
    sign,
    bytes,
    async writeTo(sink, options) {
      const writer = sink.getWriter();
      try {
        for await (const chunk of bytes(options)) await writer.write(chunk);
        await writer.close();
      } catch (error) {
        await writer.abort(error).catch(() => {});
        throw error;
      }
    },
  };
}

/** Browsers cannot fetch files with certain keys. */
export function leaveOutUnaddressable(entries: readonly ArchiveEntry[]): {
  entries: ArchiveEntry[];
  leftOut: LeftOut[];
} {
  const isLeftOut = ({ key }: ArchiveEntry) => !isAddressable(key);
  const leftOut = entries
    .filter(isLeftOut)
    .map(({ key }) => ({ path: key, code: "not_addressable" as const }));
  return { entries: entries.filter((entry) => !isLeftOut(entry)), leftOut };
}

/**
 * Which files the malware scanner has not found safe: the length of an archive must be known before its first byte. Files that cannot be read
 * for another reason stay, and are reported when they are read.
 */
async function findUnchecked(
  downloads: UrlSource,
  entries: readonly ArchiveEntry[],
  signal: AbortSignal,
): Promise<Map<ArchiveEntry, LeftOut["code"]>> {
  const files = entries.filter(isFile);
  const unchecked = new Map<ArchiveEntry, LeftOut["code"]>();
  for (let at = 0; at < files.length; at += MAX_SIGNED_DOWNLOADS) {
    const batch = files.slice(at, at + MAX_SIGNED_DOWNLOADS);
    const checked = await downloads.urls(batch, { check: true, signal });
    for (const [index, { error }] of checked.downloads.entries()) {
      const file = batch[index];
      if (file && (error === "being_checked" || error === "blocked")) unchecked.set(file, error);
    }
  }
  return unchecked;
}
