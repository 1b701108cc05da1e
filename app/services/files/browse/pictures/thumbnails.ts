import type { FilesClient } from "platform-embed-element/client";
import { Semaphore } from "../../../../../embed-element/shared/semaphore";
import { readBeginning } from "../../../../shared/read-beginning";
import { contentId, versionOf } from "../../place/content-of";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { type VisibleFile, VisibleFiles } from "../grid/visible-files";
import {
  MAX_FILE_BYTES,
  makeThumbnail,
  mayHaveThumbnail,
  mayHaveTileThumbnail,
  type ThumbnailPlace,
} from "./make-thumbnail";
import { makeTileThumbnail } from "./make-tile-thumbnail";

const MAX_CONCURRENT = 4;
/** A URL is not used in the last seconds before it expires, or in the last quarter of a shorter life. */
const MIN_REMAINING_SECONDS = 20;
/** Thumbnails that are kept; a few kB each. */
const MAX_CACHED_THUMBNAILS = 500;

/**
 * Thumbnails of visible files. Files that scroll away before their turn are not read. They are read from the store itself; if one
 * fails, its row keeps the icon.
 */
export class Thumbnails {
  readonly #visible = new VisibleFiles<string>((files) => this.#read(files));
  readonly #permits = new Semaphore(MAX_CONCURRENT);
  /** by `contentId` */
  readonly #urls = new Map<string, { url: string; expiresAt: number; marginSeconds: number }>();
  /** object URLs by file and version, newest last; null for files without a thumbnail */
  readonly #made = new Map<string, string | null>();

  constructor(private readonly client: FilesClient) {}

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
    return this.#visible.add(file, show);
  }

  close(): void {
    this.#visible.close();
    for (const url of this.#made.values()) if (url !== null) URL.revokeObjectURL(url);
    this.#made.clear();
  }

  async #read(files: readonly VisibleFile<string>[]): Promise<void> {
    try {
      await this.#sign(files.filter(({ file }) => !this.#isSigned(file)));
    } catch {
      // Perhaps offline, or the session has ended. They are asked about again when they become visible again.
      return;
    }
    for (const visible of files) {
      if (!this.#isSigned(visible.file)) continue;
      // Rejects if it scrolls away before its turn.
      this.#permits.run(() => this.#make(visible), visible.abort.signal).catch(() => {});
    }
  }

  /** For downloads, which the server signs without asking the store about each object. The type is known from the name. */
  async #sign(files: readonly VisibleFile<string>[]): Promise<void> {
    if (files.length === 0) return;
    const { downloads, expiresAt } = await this.client.downloads.urls(
      files.map(({ file }) => file),
      { purpose: "thumbnail" },
    );
    const marginSeconds = Math.min(MIN_REMAINING_SECONDS, this.client.downloads.secondsUntil(expiresAt) / 4);
    for (const [index, visible] of files.entries()) {
      const download = downloads[index];
      if (download?.error === "being_checked") {
        void this.#visible.askAgain(visible);
        continue;
      }
      // An empty URL fails in `#make`.
      const url = download?.url ?? "";
      this.#urls.set(contentId(visible.file), { url, expiresAt, marginSeconds });
    }
  }

  #isSigned(file: FileEntry): boolean {
    const signed = this.#urls.get(contentId(file));
    return (
      signed !== undefined && this.client.downloads.secondsUntil(signed.expiresAt) > signed.marginSeconds
    );
  }

  async #make(visible: VisibleFile<string>): Promise<void> {
    const { file, show, abort } = visible;
    // The URL may have expired before its turn.
    if (!this.#isSigned(file)) return this.#visible.ask(visible);
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
    if (!response.ok) throw new Error("There is nothing to show.");
    const { bytes, cut } = await readBeginning(response, MAX_FILE_BYTES);
    if (cut) throw new Error("It is too large.");
    return bytes;
  };
  if (mayHaveThumbnail(file)) return makeThumbnail(file.name, await read(), signal);
  return makeTileThumbnail({ name: file.name, url, read }, signal);
}
