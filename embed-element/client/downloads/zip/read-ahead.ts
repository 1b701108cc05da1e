import type { ArchiveEntry } from "./list-tree.js";
import { type ReadTools, readObject, readOnce } from "./read-object.js";

/** Files of up to this size are read ahead: their requests take longer than their bytes. */
export const MAX_AHEAD_FILE_BYTES = 1024 * 1024;
/**
 * Number of files that are read at once, so that at most 6 MiB are in memory. With HTTP/1.1, a browser opens six connections to a store, and
 * further requests would only wait.
 */
export const MAX_CONCURRENT_FILES = 6;

/**
 * Reads the files of an archive in their order, and small ones before it is their turn. A request ahead that fails is forgotten: the file is
 * then read again when it is its turn, and only that is retried and reported.
 */
export class ReadAhead {
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  /** indexes of the entries whose bytes the store has */
  readonly #files: number[];
  /** by place in `#files` */
  readonly #ahead = new Map<number, Promise<Uint8Array | null>>();
  readonly #buffers: Uint8Array[] = [];
  /** places in `#files`: of the file whose turn it is, and of the first that is not begun */
  #turn = 0;
  #begun = 0;

  constructor(
    private readonly entries: readonly ArchiveEntry[],
    private readonly toolsFor: (index: number) => ReadTools,
    signal: AbortSignal,
  ) {
    this.#signal = AbortSignal.any([signal, this.#abort.signal]);
    this.#files = [...entries.keys()].filter((index) => {
      const { size, text } = this.#entry(index);
      return size > 0 && text === undefined;
    });
  }

  /**
   * Yields the bytes of the next file that has any in the store. The consumer must be done with a file's bytes before it asks for the next file.
   * @throws as `readObject`
   */
  async *next(): AsyncGenerator<Uint8Array, void, undefined> {
    this.#beginReading();
    const ahead = this.#ahead.get(this.#turn);
    this.#ahead.delete(this.#turn);
    const index = this.#files[this.#turn] ?? 0;
    const bytes = await ahead;
    if (bytes) yield bytes;
    else yield* readObject(this.#entry(index), this.toolsFor(index), this.#signal);
    this.#turn++;
  }

  /** Ends the requests that are under way. */
  close(): void {
    this.#abort.abort();
  }

  #beginReading(): void {
    const end = Math.min(this.#turn + MAX_CONCURRENT_FILES, this.#files.length);
    for (; this.#begun < end; this.#begun++) {
      const index = this.#files[this.#begun] ?? 0;
      const entry = this.#entry(index);
      if (entry.size > MAX_AHEAD_FILE_BYTES) continue;
      const tools = this.toolsFor(index);
      const into = tools.reuseBuffer ? this.#bufferFor(this.#begun) : new Uint8Array(entry.size);
      this.#ahead.set(this.#begun, readOnce(entry, tools, into, this.#signal));
    }
  }

  /** The file that had the same buffer before has been consumed. */
  #bufferFor(place: number): Uint8Array {
    const slot = place % MAX_CONCURRENT_FILES;
    this.#buffers[slot] ??= new Uint8Array(MAX_AHEAD_FILE_BYTES);
    return this.#buffers[slot];
  }

  #entry(index: number): ArchiveEntry {
    return this.entries[index] as ArchiveEntry;
  }
}
