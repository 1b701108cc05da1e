import { moduleLoader } from "../../../../embed/frame/load-module";
import { contentId, contentKey, versionOf } from "../../place/content-of";
import { type StorageClient, urlOf } from "../../place/contract/storage-client";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { pauseWhileChecked } from "../checks/when-checked";
import {
  MAX_FILE_BYTES,
  makeThumbnail,
  mayHaveThumbnail,
  mayHaveTileThumbnail,
  type ThumbnailPlace,
} from "./make-thumbnail";

const loadTileThumbnails = moduleLoader(() => import("./make-tile-thumbnail"));

const MAX_CONCURRENT = 4;
/** URLs of rows that appear within this time are requested together, up to MAX_KEYS. Rows that only scroll past are not requested. */
const BATCH_DELAY_MS = 100;
const MAX_KEYS = 100;
/** A URL is not used in the last seconds before it expires, or in the last quarter of a shorter life. */
const MIN_REMAINING_SECONDS = 20;
/** Thumbnails that are kept; a few kB each. */
const MAX_CACHED_THUMBNAILS = 500;

interface VisibleFile {
  file: FileEntry;
  show(url: string): void;
  abort: AbortController;
  /** how many times the server has said that it is still being checked for malware */
  checks: number;
}

/**
 * Thumbnails of visible files. Files that scroll away before their turn are not read. They are read from the store itself; if one
 * fails, its row keeps the icon.
 */
export class Thumbnails {
  readonly #client: StorageClient;
  readonly #waiting = new Set<VisibleFile>();
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** by `contentId` */
  readonly #urls = new Map<string, { url: string; expiresAt: number; marginSeconds: number }>();
  /** object URLs by file and version, newest last; null for files without a thumbnail */
  readonly #made = new Map<string, string | null>();

  constructor(client: StorageClient) {
    this.#client = client;
  }

  /** The thumbnail if it is made already. */
  made(file: FileEntry): string | null {
    return this.#made.get(versionOf(file)) ?? null;
  }

  /** @returns a function to call when the row or tile is no longer visible */
  want(file: FileEntry, place: ThumbnailPlace, show: (url: string) => void): () => void {
    if (!mayHaveThumbnail(file) && !(place === "tile" && mayHaveTileThumbnail(file))) return () => {};
    const known = this.#made.get(versionOf(file));
    if (known !== undefined) {
      if (known !== null) show(known);
      return () => {};
    }
    const wanted = { file, show, abort: new AbortController(), checks: 0 };
    this.#wait(wanted);
    return () => {
      this.#waiting.delete(wanted);
      wanted.abort.abort();
    };
  }

  #wait(wanted: VisibleFile): void {
    this.#waiting.add(wanted);
    this.#timer ??= setTimeout(() => this.#begin(), BATCH_DELAY_MS);
  }

  /** Asks again later, as long as the row is visible. */
  async #waitForCheck(wanted: VisibleFile): Promise<void> {
    this.#waiting.delete(wanted);
    wanted.checks += 1;
    try {
      if (await pauseWhileChecked(wanted.checks, wanted.abort.signal)) this.#wait(wanted);
    } catch {
      // The row is no longer visible.
    }
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
      // Perhaps offline, or the session has ended. Tiles ask again when they become visible again.
      this.#waiting.clear();
    }
    const more = [...this.#waiting].some(({ file }) => !this.#isSigned(file));
    this.#timer = more ? setTimeout(() => this.#begin(), BATCH_DELAY_MS) : undefined;
    this.#next();
  }

  /** For downloads, which the server signs without asking the store about each object. The type is known from the name. */
  async #sign(): Promise<void> {
    const files = [...this.#waiting].map(({ file }) => file).filter((file) => !this.#isSigned(file));
    if (files.length === 0) return;
    const signed = files.slice(0, MAX_KEYS);
    const keys = signed.map(contentKey);
    const { downloads, expiresAt } = await this.#client.call("presign-downloads", {
      keys,
      purpose: "thumbnail",
    });
    const marginSeconds = Math.min(MIN_REMAINING_SECONDS, this.#client.secondsUntil(expiresAt) / 4);
    for (const [index, file] of signed.entries()) {
      const download = downloads[index];
      if (download && "error" in download && download.error === "being_checked") {
        for (const wanted of this.#waiting)
          if (contentId(wanted.file) === contentId(file)) void this.#waitForCheck(wanted);
        continue;
      }
      // An empty URL fails in `#make`.
      this.#urls.set(contentId(file), { url: (download && urlOf(download)) ?? "", expiresAt, marginSeconds });
    }
  }

  #isSigned(file: FileEntry): boolean {
    const signed = this.#urls.get(contentId(file));
    return signed !== undefined && this.#client.secondsUntil(signed.expiresAt) > signed.marginSeconds;
  }

  #next(): void {
    for (const wanted of this.#waiting) {
      if (this.#running >= MAX_CONCURRENT) return;
      if (!this.#isSigned(wanted.file)) continue;
      this.#waiting.delete(wanted);
      this.#running++;
      void this.#make(wanted).finally(() => {
        this.#running--;
        this.#next();
      });
    }
  }

  async #make({ file, show, abort }: VisibleFile): Promise<void> {
    const { url } = this.#urls.get(contentId(file)) ?? {};
    try {
      if (!url) throw new Error("There is nothing to read.");
      const picture = URL.createObjectURL(await pictureOf(file, url, abort.signal));
      this.#keep(file, picture);
      if (!abort.signal.aborted) show(picture);
    } catch {
      // An aborted one may become visible again.
      if (!abort.signal.aborted) this.#keep(file, null);
    }
  }

  #keep(file: FileEntry, picture: string | null): void {
    this.#made.set(versionOf(file), picture);
    for (const [version, url] of this.#made) {
      if (this.#made.size <= MAX_CACHED_THUMBNAILS) return;
      if (url !== null) URL.revokeObjectURL(url);
      this.#made.delete(version);
    }
  }
}

async function pictureOf(file: FileEntry, url: string, signal: AbortSignal): Promise<Blob> {
  const read = async () => {
    const response = await fetch(url, { signal });
    const bytes = response.ok ? await readAtMost(response, MAX_FILE_BYTES) : null;
    if (!bytes) throw new Error("There is nothing to show.");
    return bytes;
  };
  if (mayHaveThumbnail(file)) return makeThumbnail(file.name, await read(), signal);
  const { makeTileThumbnail } = await loadTileThumbnails();
  return makeTileThumbnail({ name: file.name, url, read }, signal);
}

/** The body; null if it is longer than `most` bytes. */
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
