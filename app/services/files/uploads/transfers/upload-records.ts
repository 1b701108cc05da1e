import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import type { MultipartUpload } from "./multipart-upload";
import { SendingTabs } from "./sending-tabs";

/** The browser's record of an unfinished multipart upload. It holds no bytes of the file and no URL. */
export interface UploadRecord extends Omit<MultipartUpload, "storedParts" | "needsCheck" | "isFound"> {
  id: string;
  bucket: string;
  folderPath: string;
  name: string;
  /** the file's modification time, unix milliseconds */
  lastModified: number;
  contentType: string;
  overwrite: boolean;
  /** bytes that are stored */
  arrived: number;
  /** unix milliseconds, by this browser's clock */
  begunAt: number;
}

interface StoredRecord extends UploadRecord {
  visitorKey: string;
}

/** Flushed to disk before a write resolves, so that it survives a killed browser. */
const durable: IDBTransactionOptions = { durability: "strict" };
/** The bucket's lifecycle rule removes unfinished uploads after the same time. */
const MAX_RECORD_AGE_MS = MAX_UPLOAD_DAYS * 24 * 3600_000;

/**
 * Unfinished uploads of this browser, in IndexedDB. Browsers partition a third-party frame's storage by the embedding page. If the
 * browser has no storage, nothing is remembered and no call fails.
 */
export class UploadRecords {
  /** False if the last attempt to read or write a record failed: then a reload loses the upload. */
  isRemembering = true;
  readonly #visitorKey: string;
  #database: Promise<IDBDatabase> | null = null;
  #tabs: SendingTabs | null = null;

  /** @param visitorKey whose uploads they are (`FrameProps.visitorKey`): several people may use one browser */
  constructor(visitorKey: string) {
    this.#visitorKey = visitorKey;
  }

  /** The visitor's uploads to a bucket that no tab is sending, oldest first. */
  async find(bucket: string): Promise<UploadRecord[]> {
    const all = await this.#run<StoredRecord[]>("readonly", (store) => store.getAll());
    if (!all || all.length === 0) return [];
    const sending = await this.#sendingTabs.others();
    const now = Date.now();
    const isOver = ({ begunAt }: UploadRecord) => now - begunAt > MAX_RECORD_AGE_MS;
    for (const upload of all.filter(isOver)) this.forget(upload.id);
    return all
      .filter(({ visitorKey, ...upload }) => visitorKey === this.#visitorKey && upload.bucket === bucket)
      .filter((upload) => !isOver(upload) && !sending.has(upload.id))
      .sort((a, b) => a.begunAt - b.begunAt);
  }

  keep(upload: UploadRecord): void {
    const stored: StoredRecord = { ...upload, visitorKey: this.#visitorKey };
    void this.#run("readwrite", (store) => store.put(stored));
  }

  forget(id: string): void {
    void this.#run("readwrite", (store) => store.delete(id));
  }

  /** Claims an upload for this tab. @returns a function that releases it; null when another tab is sending it */
  async claim(id: string): Promise<(() => void) | null> {
    // Without storage, no other tab knows the upload.
    return this.isRemembering ? this.#sendingTabs.claim(id) : () => {};
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
      const result = await resultOf(work(database.transaction(STORE, mode, durable).objectStore(STORE)));
      this.isRemembering = true;
      return result;
    } catch {
      // Storage may be disabled, full or cleared at any moment.
      this.isRemembering = false;
      this.#database = null;
      return undefined;
    }
  }
}

const DATABASE = "platform-embed-uploads";
const STORE = "uploads";

/** Opens the database of unfinished uploads, and creates it if necessary. */
function openUploads(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
  return resultOf(request);
}

export function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Whether there are any. If not, the code that sends uploads need not be loaded. */
export async function hasUploadRecords(): Promise<boolean> {
  try {
    // Not `indexedDB.databases()`: in WebKit it lists nothing in a third-party frame.
    const database = await openUploads();
    try {
      return (await resultOf(database.transaction(STORE).objectStore(STORE).count())) > 0;
    } finally {
      database.close();
    }
  } catch {
    // Without storage, there is nothing to resume.
    return false;
  }
}
