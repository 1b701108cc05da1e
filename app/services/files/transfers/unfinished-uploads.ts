import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { openUploads, resultOf, STORE } from "./has-unfinished";
import { SendingTabs } from "./sending-tabs";

/** What a browser remembers of an upload in parts until it is done: never the file's bytes, never a URL. */
export interface UnfinishedUpload {
  id: string;
  bucket: string;
  folderPath: string;
  name: string;
  /** bytes */
  size: number;
  /** milliseconds since 1970, as the file says */
  lastModified: number;
  contentType: string;
  overwrite: boolean;
  /** as multipart/create returned it */
  handle: string;
  key: string;
  partSize: number;
  partCount: number;
  algorithm: ChecksumAlgorithm | null;
  /** bytes in the store */
  arrived: number;
  /** milliseconds since 1970, by this browser's clock */
  begunAt: number;
}

/** Written to the disk before it counts as done: what a killed browser had only meant to write would be lost. */
const durable: IDBTransactionOptions = { durability: "strict" };
/** As long as the store keeps the parts, milliseconds. */
const KEPT_FOR = 7 * 24 * 3600_000;

/**
 * The uploads that were begun in this browser and not ended, in IndexedDB: in a frame that belongs to the site around it alone. Where
 * the browser gives no storage, there are none and nobody hears of it.
 */
export class UnfinishedUploads {
  #database: Promise<IDBDatabase> | null = null;
  #tabs: SendingTabs | null = null;

  /** Those of a bucket that no tab is sending, the oldest first. */
  async find(bucket: string): Promise<UnfinishedUpload[]> {
    const all = await this.#run<UnfinishedUpload[]>("readonly", (store) => store.getAll());
    if (!all || all.length === 0) return [];
    const sending = await this.#sendingTabs.others();
    const now = Date.now();
    const isOver = ({ begunAt }: UnfinishedUpload) => now - begunAt > KEPT_FOR;
    for (const upload of all.filter(isOver)) this.forget(upload.id);
    return all
      .filter((upload) => upload.bucket === bucket && !isOver(upload) && !sending.has(upload.id))
      .sort((a, b) => a.begunAt - b.begunAt);
  }

  /** Remembers an upload, or how far it has come. */
  keep(upload: UnfinishedUpload): void {
    void this.#run("readwrite", (store) => store.put(upload));
  }

  forget(id: string): void {
    void this.#run("readwrite", (store) => store.delete(id));
  }

  /** Says to other tabs that this one sends the upload. @returns what ends that, or null when another tab does */
  async claim(id: string): Promise<(() => void) | null> {
    // Without storage no other tab is offered anything.
    return "indexedDB" in globalThis ? this.#sendingTabs.claim(id) : () => {};
  }

  get #sendingTabs(): SendingTabs {
    this.#tabs ??= new SendingTabs();
    return this.#tabs;
  }

  async #run<Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result | undefined> {
    try {
      this.#database ??= openUploads();
      const database = await this.#database;
      return await resultOf(work(database.transaction(STORE, mode, durable).objectStore(STORE)));
    } catch {
      // Storage may be off, full or cleared at any moment.
      this.#database = null;
      return undefined;
    }
  }
}
