import { FilesError, isAddressable, MAX_SIGNED_DOWNLOADS } from "platform-embed-element/client";
import { visibleText } from "../../../../locales/visible-text";
import type { StorageClient } from "../../place/contract/storage-client";
import type { ArchiveEntry } from "./list-tree";

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
  /** by `performance.now()` */
  #validUntil = 0;
  /** resolves when the URL that was asked for last is known or has failed */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly entries: readonly ArchiveEntry[],
    private readonly sign: SignKeys,
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
    if (renew || performance.now() >= this.#validUntil) this.#urls.clear();
    const known = this.#urls.get(index);
    if (known !== undefined) return known;
    const wanted = this.#from(index);
    const started = performance.now();
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

export type SigningClient = Pick<StorageClient, "call" | "secondsUntil">;

/** Signs with the current token, for the versions that the entries name. Its errors name the file. */
export function signDownloads(client: SigningClient, entries: readonly ArchiveEntry[]): SignKeys {
  const versions = new Map(entries.map(({ key, versionId }) => [key, versionId]));
  const named = (key: string) => {
    const versionId = versions.get(key);
    return versionId === undefined ? key : { key, versionId };
  };
  return async (keys, signal) => {
    const request = { keys: keys.map(named) };
    const { downloads, expiresAt } = await client.call("presign-downloads", request, signal);
    const urls = downloads.map((download) => {
      if ("url" in download) return download.url;
      const path = entries.find(({ key }) => key === download.key)?.path;
      throw new FilesError("error" in download ? download.error : "failed", { path });
    });
    return { urls, validForMs: client.secondsUntil(expiresAt) * 1000 };
  };
}

/** A file that an archive does not contain. */
export interface LeftOut {
  /** in the archive */
  path: string;
  code: "being_checked" | "blocked" | "not_addressable";
}

/** Browsers cannot fetch files with certain keys. */
export function leaveOutUnaddressable(entries: readonly ArchiveEntry[]): {
  entries: ArchiveEntry[];
  leftOut: LeftOut[];
} {
  const isLeftOut = ({ key }: ArchiveEntry) => !isAddressable(key);
  const leftOut = entries
    .filter(isLeftOut)
    .map(({ key }) => ({ path: visibleText(key), code: "not_addressable" as const }));
  return { entries: entries.filter((entry) => !isLeftOut(entry)), leftOut };
}

/**
 * Asks which files the malware scanner has found safe: the length of an archive must be known before its first byte. Files that cannot be
 * read for another reason stay, and are reported when they are read.
 */
export async function leaveOutUnchecked(
  client: SigningClient,
  entries: readonly ArchiveEntry[],
  signal: AbortSignal,
): Promise<{ entries: ArchiveEntry[]; leftOut: LeftOut[] }> {
  const files = entries.filter(({ key }) => key !== "");
  const codes = new Map<string, LeftOut["code"]>();
  for (let at = 0; at < files.length; at += MAX_SIGNED_DOWNLOADS) {
    const batch = files.slice(at, at + MAX_SIGNED_DOWNLOADS);
    const body = { keys: batch.map(({ key }) => key), check: true };
    const { downloads } = await client.call("presign-downloads", body, signal);
    for (const file of downloads) {
      const code = "error" in file ? file.error : undefined;
      if (code === "being_checked" || code === "blocked") codes.set(file.key, code);
    }
  }
  const leftOut = files.flatMap(({ key, path }) => {
    const code = codes.get(key);
    return code === undefined ? [] : { path, code };
  });
  return { entries: entries.filter(({ key }) => !codes.has(key)), leftOut };
}
