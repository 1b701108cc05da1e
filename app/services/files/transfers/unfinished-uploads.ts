import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { openUploads, resultOf, STORE } from "./has-unfinished";

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
const lockOf = (id: string) => `platform-embed-uploads:${id}`;

/**
 * The uploads that were begun in this browser and not ended, in IndexedDB: in a frame that belongs to the site around it alone. A lock
 * says which of them some tab is sending now. Where the browser gives no storage or no locks, there are none and nobody hears of it.
 */
export class UnfinishedUploads {
  #database: Promise<IDBDatabase> | null = null;

  /** Those of a bucket that nobody is sending, the oldest first. */
  async find(bucket: string): Promise<UnfinishedUpload[]> {
    const all = await this.#run<UnfinishedUpload[]>("readonly", (store) => store.getAll());
    if (!all || all.length === 0) return [];
    const sending = await heldLocks();
    if (sending === null) return [];
    const now = Date.now();
    const isOver = ({ begunAt }: UnfinishedUpload) => now - begunAt > KEPT_FOR;
    for (const upload of all.filter(isOver)) this.forget(upload.id);
    return all
      .filter((upload) => upload.bucket === bucket && !isOver(upload) && !sending.has(lockOf(upload.id)))
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
    // Without locks no other tab is offered anything either.
    if (!hasLocks()) return () => {};
    return new Promise((resolve) => {
      const hold = (lock: Lock | null) => {
        if (lock === null) return resolve(null);
        return new Promise<void>((release) => resolve(release));
      };
      navigator.locks.request(lockOf(id), { ifAvailable: true }, hold).catch(() => resolve(() => {}));
    });
  }

  async #run<Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result | undefined> {
    if (!hasLocks()) return undefined;
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

/** The names of the locks that any tab holds; null where the browser does not tell. */
async function heldLocks(): Promise<Set<string | undefined> | null> {
  try {
    const { held = [] } = await navigator.locks.query();
    return new Set(held.map(({ name }) => name));
  } catch {
    return null;
  }
}

function hasLocks(): boolean {
  return "locks" in navigator && "indexedDB" in globalThis;
}
