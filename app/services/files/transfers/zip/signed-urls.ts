import { MOST_DOWNLOADS_SIGNED } from "../../storage-bounds";
import type { ArchiveEntry } from "./archive-entry";

/** Presigned URLs of some keys, in their order; and for how long they serve from now on, milliseconds. */
export interface SignedBatch {
  urls: string[];
  validFor: number;
}

export type SignKeys = (keys: string[], signal: AbortSignal) => Promise<SignedBatch>;

/** Bytes of files whose URLs are asked for at once: as much as is soon used, for they run out. */
const AHEAD = 64 * 1024 * 1024;
/** A URL is not used in its last seconds, milliseconds; of one that lives shortly, in the last quarter of its life. */
const MARGIN = 10_000;

/** A URL for each file when it is its turn: many small files share a request, a large one has its own. */
export class SignedUrls {
  #urls = new Map<number, string>();
  /** by `performance.now()` */
  #validUntil = 0;

  constructor(
    private readonly entries: readonly ArchiveEntry[],
    private readonly sign: SignKeys,
  ) {}

  /**
   * A URL for the entry with this index. Rejects with what `sign` rejects with.
   * @param renew the one before was refused, or may be why it failed
   */
  async urlOf(index: number, renew: boolean, signal: AbortSignal): Promise<string> {
    if (renew || performance.now() >= this.#validUntil) this.#urls.clear();
    const known = this.#urls.get(index);
    if (known !== undefined) return known;
    const wanted = this.#from(index);
    const started = performance.now();
    const { urls, validFor } = await this.sign(
      wanted.map((one) => this.entries[one]?.key ?? ""),
      signal,
    );
    this.#urls = new Map(wanted.map((one, at) => [one, urls[at] ?? ""]));
    this.#validUntil = started + validFor - Math.min(MARGIN, validFor / 4);
    return this.#urls.get(index) ?? "";
  }

  /** This file and those after it that are likely to be read while their URLs serve. */
  #from(index: number): number[] {
    const wanted: number[] = [];
    let bytes = 0;
    for (let next = index; next < this.entries.length && wanted.length < MOST_DOWNLOADS_SIGNED; next++) {
      const size = this.entries[next]?.size ?? 0;
      if (size === 0) continue;
      if (wanted.length > 0 && bytes + size > AHEAD) break;
      wanted.push(next);
      bytes += size;
    }
    return wanted;
  }
}
