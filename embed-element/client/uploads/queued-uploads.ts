import type { UploadEntry } from "./upload-entry.js";

/** Queued uploads in their order; retried ones come first. Every operation stays fast with thousands of them. */
export class QueuedUploads {
  #retried = new Set<UploadEntry>();
  #others = new Set<UploadEntry>();

  /** Adds an upload at the end; does nothing if it is queued already. */
  add(entry: UploadEntry): void {
    if (!this.#retried.has(entry)) this.#others.add(entry);
  }

  addRetried(entry: UploadEntry): void {
    this.#others.delete(entry);
    this.#retried.add(entry);
  }

  delete(entry: UploadEntry): void {
    this.#retried.delete(entry);
    this.#others.delete(entry);
  }

  *[Symbol.iterator](): Generator<UploadEntry> {
    yield* this.#retried;
    yield* this.#others;
  }
}
