import { FilesError } from "../../errors.js";
import { MAX_SIGNED_DOWNLOADS } from "../../limits.js";
import type { World } from "../../world.js";
import type { ArchiveEntry } from "./list-tree.js";

/** A file as it is now, or an older version of it. */
export interface StoredFile {
  key: string;
  versionId?: string | undefined;
}

/** One of several files: its URL, or why it cannot be read. With `check`, neither if it can be. */
export interface SignedDownload {
  key: string;
  url?: string;
  /** a code, such as `being_checked` */
  error?: string;
}

/** Signs with the current token. `Downloads` says what its methods do. */
export interface UrlSource {
  urls(
    files: readonly StoredFile[],
    options: { check?: boolean; signal: AbortSignal },
  ): Promise<{ downloads: readonly SignedDownload[]; expiresAt: number }>;
  secondsUntil(moment: number): number;
}

/** Presigned URLs in the order of their keys, and how long they are valid from now, milliseconds. */
export interface SignedBatch {
  urls: string[];
  validForMs: number;
}

export type SignKeys = (keys: string[], signal: AbortSignal) => Promise<SignedBatch>;

/** URLs are requested for the next files up to this sum of bytes. Not for more, because URLs expire. */
const MAX_SIGNED_AHEAD_BYTES = 64 * 1024 * 1024;
/** A URL is not used in this time before it expires, or in the last quarter of a shorter life. */
const EXPIRY_MARGIN_MS = 10_000;

/** Presigned URLs of the files of an archive. Many small files share one request for URLs. */
export class SignedUrls {
  #urls = new Map<number, string>();
  /** by `clock` */
  #validUntil = 0;
  /** resolves when the URL that was asked for last is known or has failed */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly entries: readonly ArchiveEntry[],
    private readonly sign: SignKeys,
    private readonly clock: Pick<World["clock"], "now">,
  ) {}

  /**
   * The URL of the entry with this index. Rejects as `sign` does. One request for URLs is under way at most.
   * @param renew the previous URL was refused, or may be the cause of a failure
   */
  urlOf(index: number, renew: boolean, signal: AbortSignal): Promise<string> {
    const url = this.#last.then(() => this.#knownOrSigned(index, renew, signal));
    this.#last = url.catch(() => {});
    return url;
  }

  async #knownOrSigned(index: number, renew: boolean, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    if (renew || this.clock.now() >= this.#validUntil) this.#urls.clear();
    const known = this.#urls.get(index);
    if (known !== undefined) return known;
    const wanted = this.#from(index);
    const started = this.clock.now();
    const { urls, validForMs } = await this.sign(
      wanted.map((one) => this.entries[one]?.key ?? ""),
      signal,
    );
    this.#urls = new Map(wanted.map((one, at) => [one, urls[at] ?? ""]));
    this.#validUntil = started + validForMs - Math.min(EXPIRY_MARGIN_MS, validForMs / 4);
    return this.#urls.get(index) ?? "";
  }

  /** Indexes of this file and of those after it that will be read while their URLs are valid. */
  #from(index: number): number[] {
    const wanted: number[] = [];
    let bytes = 0;
    for (let next = index; next < this.entries.length && wanted.length < MAX_SIGNED_DOWNLOADS; next++) {
      const { size = 0, key = "" } = this.entries[next] ?? {};
      if (size === 0 || key === "") continue;
      if (wanted.length > 0 && bytes + size > MAX_SIGNED_AHEAD_BYTES) break;
      wanted.push(next);
      bytes += size;
    }
    return wanted;
  }
}

/**
 * Signs with the current token, for the versions that the entries name. Its errors name the file.
 * @throws a RangeError if the entries name several versions of one file
 */
export function signDownloads(downloads: UrlSource, entries: readonly ArchiveEntry[]): SignKeys {
  const byKey = new Map<string, ArchiveEntry>();
  for (const entry of entries) {
    const { versionId } = byKey.get(entry.key) ?? entry;
    if (versionId !== entry.versionId)
      throw new RangeError(`An archive contains one version of a file, not two of "${entry.path}".`);
    byKey.set(entry.key, entry);
  }
  return async (keys, signal) => {
    const files = keys.map((key) => ({ key, versionId: byKey.get(key)?.versionId }));
    const signed = await downloads.urls(files, { signal });
    const urls = signed.downloads.map(({ key, url, error = "failed" }) => {
      if (url === undefined) throw new FilesError(error, { path: byKey.get(key)?.path });
      return url;
    });
    return { urls, validForMs: downloads.secondsUntil(signed.expiresAt) * 1000 };
  };
}
