import { MAX_UPLOAD_DAYS } from "../limits.js";
import type { World } from "../world.js";
import type { MultipartUpload } from "./multipart-upload.js";
import { SendingTabs } from "./sending-tabs.js";

/** The record of an unfinished multipart upload. It holds no bytes of the file and no URL. */
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
  /** unix milliseconds, by this machine's clock */
  begunAt: number;
}

interface StoredRecord extends UploadRecord {
  visitorKey: string;
}

/** The bucket's lifecycle rule removes unfinished uploads after the same time. */
const MAX_RECORD_AGE_MS = MAX_UPLOAD_DAYS * 24 * 3600_000;

/** Unfinished uploads, in the world's storage. Without storage, nothing is remembered and no call fails. */
export class UploadRecords {
  /** False if the last attempt to read or write a record failed: then a reload loses the upload. */
  isRemembering = true;
  #tabs: SendingTabs | null | undefined;

  /** @param visitorKey whose uploads they are: several people may use one browser */
  constructor(
    private readonly world: World,
    private readonly visitorKey: string,
  ) {}

  /** The visitor's uploads to a bucket that no tab is sending, oldest first. */
  async find(bucket: string): Promise<UploadRecord[]> {
    const all = (await this.#run((storage) => storage.all())) as StoredRecord[] | undefined;
    if (!all || all.length === 0) return [];
    const sending = (await this.#sendingTabs?.others()) ?? new Set();
    const now = this.world.clock.date();
    const isOver = ({ begunAt }: UploadRecord) => now - begunAt > MAX_RECORD_AGE_MS;
    for (const upload of all.filter(isOver)) this.forget(upload.id);
    return all
      .filter(({ visitorKey, ...upload }) => visitorKey === this.visitorKey && upload.bucket === bucket)
      .filter((upload) => !isOver(upload) && !sending.has(upload.id))
      .sort((a, b) => a.begunAt - b.begunAt);
  }

  keep(upload: UploadRecord): void {
    const stored: StoredRecord = { ...upload, visitorKey: this.visitorKey };
    void this.#run((storage) => storage.put(stored));
  }

  forget(id: string): void {
    void this.#run((storage) => storage.delete(id));
  }

  /** Claims an upload for this tab. @returns a function that releases it; null when another tab is sending it */
  async claim(id: string): Promise<(() => void) | null> {
    // Without storage, no other tab knows the upload.
    const tabs = this.isRemembering ? this.#sendingTabs : null;
    return tabs === null ? () => {} : tabs.claim(id);
  }

  /** Leaves the uploads to other tabs. */
  close(): void {
    this.#tabs?.close();
    this.#tabs = null;
  }

  get #sendingTabs(): SendingTabs | null {
    if (this.#tabs === undefined) {
      const channel = this.world.storage.openChannel();
      this.#tabs = channel && new SendingTabs(channel, this.world);
    }
    return this.#tabs;
  }

  async #run<Result>(work: (storage: World["storage"]) => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work(this.world.storage);
      this.isRemembering = true;
      return result;
    } catch {
      this.isRemembering = false;
      return undefined;
    }
  }
}
