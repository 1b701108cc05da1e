import type { StorageClient } from "../../../storage-client";
import type { FileEntry } from "../../../storage-contract.server";
import { LARGEST_FILE, makeThumbnail } from "./make-thumbnail";

/** Files that are read at a time. */
const AT_ONCE = 4;
/** Tiles that appear within this time are asked for together, milliseconds; and so many at most. */
const GATHERING = 40;
const MOST_KEYS = 100;
/** A URL is not used in the last seconds of its life. */
const SPARE_SECONDS = 20;
/** Small pictures that are kept: a few kB each. */
const MOST_KEPT = 500;

interface Wanted {
  file: FileEntry;
  show(url: string): void;
  abort: AbortController;
}

/**
 * Small pictures of the images that can be seen, and of no others: what scrolls away before its turn is never read. They are read from the
 * store itself; one that fails for whatever reason leaves the icon where it is.
 */
export class Thumbnails {
  readonly #client: StorageClient;
  readonly #waiting = new Set<Wanted>();
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #urls = new Map<string, { url: string; expiresAt: number }>();
  /** addresses of the pictures by file and version, the newest at the end; null for what has none */
  readonly #made = new Map<string, string | null>();

  constructor(client: StorageClient) {
    this.#client = client;
  }

  /** The picture that is there already: nothing has to be waited for. */
  made(file: FileEntry): string | null {
    return this.#made.get(versionOf(file)) ?? null;
  }

  /** @returns call it when the file can no longer be seen */
  want(file: FileEntry, show: (url: string) => void): () => void {
    const known = this.#made.get(versionOf(file));
    if (known !== undefined) {
      if (known !== null) show(known);
      return () => {};
    }
    const wanted = { file, show, abort: new AbortController() };
    this.#waiting.add(wanted);
    this.#timer ??= setTimeout(() => this.#begin(), GATHERING);
    return () => {
      this.#waiting.delete(wanted);
      wanted.abort.abort();
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { abort } of this.#waiting) abort.abort();
    this.#waiting.clear();
    for (const url of this.#made.values()) if (url !== null) URL.revokeObjectURL(url);
    this.#made.clear();
  }

  async #begin(): Promise<void> {
    try {
      await this.#sign();
    } catch {
      // Offline, perhaps, or the session has ended: what is looked at again is asked for again.
      this.#waiting.clear();
    }
    const more = [...this.#waiting].some(({ file }) => !this.#isSigned(file.key));
    this.#timer = more ? setTimeout(() => this.#begin(), GATHERING) : undefined;
    this.#next();
  }

  /** As mere bytes, which needs no question to the store about each: their type is known by their names. */
  async #sign(): Promise<void> {
    const keys = [...this.#waiting].map(({ file }) => file.key).filter((key) => !this.#isSigned(key));
    if (keys.length === 0) return;
    const { downloads, expiresAt } = await this.#client.presignDownloads(keys.slice(0, MOST_KEYS));
    for (const download of downloads) {
      // What is not signed is tried, and refused, like one whose URL has run out.
      this.#urls.set(download.key, { url: "url" in download ? download.url : "", expiresAt });
    }
  }

  #isSigned(key: string): boolean {
    const signed = this.#urls.get(key);
    return signed !== undefined && this.#client.secondsUntil(signed.expiresAt) > SPARE_SECONDS;
  }

  #next(): void {
    for (const wanted of this.#waiting) {
      if (this.#running >= AT_ONCE) return;
      if (!this.#isSigned(wanted.file.key)) continue;
      this.#waiting.delete(wanted);
      this.#running++;
      void this.#make(wanted).finally(() => {
        this.#running--;
        this.#next();
      });
    }
  }

  async #make({ file, show, abort }: Wanted): Promise<void> {
    const { url } = this.#urls.get(file.key) ?? {};
    try {
      if (!url) throw new Error("There is nothing to read.");
      const response = await fetch(url, { signal: abort.signal });
      const bytes = response.ok ? await readAtMost(response, LARGEST_FILE) : null;
      if (!bytes) throw new Error("There is nothing to show.");
      const picture = URL.createObjectURL(await makeThumbnail(file.name, bytes));
      this.#keep(file, picture);
      if (!abort.signal.aborted) show(picture);
    } catch {
      // Scrolled away: it may come back.
      if (!abort.signal.aborted) this.#keep(file, null);
    }
  }

  #keep(file: FileEntry, picture: string | null): void {
    this.#made.set(versionOf(file), picture);
    for (const [version, url] of this.#made) {
      if (this.#made.size <= MOST_KEPT) return;
      if (url !== null) URL.revokeObjectURL(url);
      this.#made.delete(version);
    }
  }
}

const versionOf = ({ key, etag, lastModified }: FileEntry) => `${key} ${etag ?? lastModified}`;

/** The body; null when it is longer than the list said. */
async function readAtMost(response: Response, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    parts.push(value);
    if (length <= most) continue;
    await reader?.cancel();
    return null;
  }
}
