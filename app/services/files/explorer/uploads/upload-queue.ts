import { joinPath } from "../../folder-path";
import { asProblem, type StorageClient, StorageProblem } from "../storage-client";
import { numberedName } from "./numbered-name";
import type { PutFile } from "./put-file";
import { type RetryTiming, realTiming } from "./retry";
import { type StoreTraits, sendFile } from "./send-file";
import type { ConflictChoice, Upload } from "./upload";

/** As many files are sent at once. */
export const MOST_IN_FLIGHT = 3;
/** What one PUT may carry, bytes. Amazon S3, "PutObject". */
export const LARGEST_FILE = 5 * 1024 ** 3;
/** The screen is told of progress at most this often, milliseconds. */
const PROGRESS_INTERVAL = 100;

export interface IncomingFile {
  file: File;
  /** the folder it is to lie in */
  folderPath: string;
}

export interface UploadQueueOptions {
  client: Pick<StorageClient, "presignUpload" | "list" | "diagnose">;
  put: PutFile;
  /** the browser's own unless a test says otherwise */
  timing?: RetryTiming;
  contentTypeOf: (file: File) => string;
  /** true when a file of that name is already on the screen: then we ask before sending anything */
  isKnown: (folderPath: string, name: string) => boolean;
  onDone: (upload: Upload, key: string) => void;
  onFailed: (upload: Upload) => void;
}

interface Entry {
  upload: Upload;
  file: File;
  overwrite: boolean;
  /** on a conflict, take the next free name instead of asking */
  keepBoth: boolean;
  abort: AbortController | null;
}

/** Uploads under way and behind us: a small store for `useSyncExternalStore`. */
export class UploadQueue {
  #entries: Entry[] = [];
  #snapshot: Upload[] = [];
  #listeners = new Set<() => void>();
  #nextId = 1;
  #lastProgress = 0;
  #traits: StoreTraits = { conditional: true };

  constructor(readonly options: UploadQueueOptions) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getUploads = (): Upload[] => this.#snapshot;

  add(files: IncomingFile[]): void {
    for (const { file, folderPath } of files) {
      const conflict = this.options.isKnown(folderPath, file.name);
      const tooLarge = file.size > LARGEST_FILE;
      this.#entries.push({
        file,
        overwrite: false,
        keepBoth: false,
        abort: null,
        upload: {
          id: this.#nextId++,
          name: file.name,
          folderPath,
          size: file.size,
          sent: 0,
          status: tooLarge ? "failed" : conflict ? "conflict" : "waiting",
          problem: tooLarge ? new StorageProblem("too_large") : null,
        },
      });
    }
    this.#publish();
    this.#startNext();
  }

  /** Stops an upload; one that has failed already is taken off the list. */
  cancel(id: number): void {
    const entry = this.#find(id);
    if (!entry) return;
    if (entry.upload.status === "failed") {
      this.#remove(entry);
      return;
    }
    entry.abort?.abort(new DOMException("The upload was cancelled.", "AbortError"));
    this.#change(entry, { status: "cancelled", problem: null });
    this.#startNext();
  }

  retry(id: number): void {
    const entry = this.#find(id);
    if (!entry || (entry.upload.status !== "failed" && entry.upload.status !== "cancelled")) return;
    this.#change(entry, { status: "waiting", sent: 0, problem: null });
    this.#startNext();
  }

  /** Tries again whatever failed for `code`: what coming back online does. */
  retryFailed(code: StorageProblem["code"]): void {
    for (const { upload } of this.#entries) if (upload.problem?.code === code) this.retry(upload.id);
  }

  resolve(id: number, choice: ConflictChoice): void {
    const entry = this.#find(id);
    if (entry?.upload.status !== "conflict") return;
    if (choice === "skip") {
      this.#remove(entry);
      return;
    }
    if (choice === "replace") entry.overwrite = true;
    else this.#takeNextName(entry);
    this.#change(entry, { status: "waiting", sent: 0 });
    this.#startNext();
  }

  resolveAll(choice: ConflictChoice): void {
    for (const { upload } of [...this.#entries]) this.resolve(upload.id, choice);
  }

  clearFinished(): void {
    this.#entries = this.#entries.filter(
      ({ upload }) => upload.status !== "done" && upload.status !== "cancelled",
    );
    this.#publish();
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find((entry) => entry.upload.id === id);
  }

  #startNext(): void {
    const running = ({ upload: { status } }: Entry) => status === "sending" || status === "retrying";
    let free = MOST_IN_FLIGHT - this.#entries.filter(running).length;
    for (const entry of this.#entries) {
      if (free <= 0) return;
      if (entry.upload.status !== "waiting") continue;
      free--;
      void this.#run(entry);
    }
  }

  async #run(entry: Entry): Promise<void> {
    const abort = new AbortController();
    entry.abort = abort;
    this.#change(entry, { status: "sending", sent: 0, problem: null });
    try {
      const key = await this.#send(entry, abort.signal);
      if (key === null) {
        this.#change(entry, { status: "conflict", sent: 0 });
      } else {
        this.#change(entry, { status: "done", sent: entry.upload.size });
        this.options.onDone(entry.upload, key);
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#change(entry, { status: "failed", problem: asProblem(error) });
      this.options.onFailed(entry.upload);
    } finally {
      if (entry.abort === abort) entry.abort = null;
      this.#startNext();
    }
  }

  /** The key of the file that is now in the store, or null when its name is taken and a person has to decide. */
  async #send(entry: Entry, signal: AbortSignal): Promise<string | null> {
    const { client, put, contentTypeOf, timing = realTiming } = this.options;
    for (;;) {
      const { folderPath, name } = entry.upload;
      const { file, overwrite } = entry;
      const key = await sendFile(
        { file, folderPath, name, overwrite, contentType: contentTypeOf(file) },
        { client, put, timing },
        this.#traits,
        {
          onProgress: (sent) => this.#progress(entry, sent),
          onRetrying: () => this.#change(entry, { status: "retrying", sent: 0 }),
          onAttempt: () => this.#change(entry, { status: "sending" }),
        },
        signal,
      );
      if (key !== null || !entry.keepBoth) return key;
      this.#takeNextName(entry);
    }
  }

  #takeNextName(entry: Entry): void {
    entry.keepBoth = true;
    const { folderPath } = entry.upload;
    const others = new Set(this.#entries.map(({ upload }) => joinPath(upload.folderPath, upload.name)));
    let name = entry.upload.name;
    do name = numberedName(name);
    while (others.has(joinPath(folderPath, name)) || this.options.isKnown(folderPath, name));
    this.#change(entry, { name });
  }

  #progress(entry: Entry, sent: number): void {
    entry.upload = { ...entry.upload, sent: Math.min(sent, entry.upload.size) };
    if (performance.now() - this.#lastProgress < PROGRESS_INTERVAL) return;
    this.#lastProgress = performance.now();
    this.#publish();
  }

  #change(entry: Entry, change: Partial<Upload>): void {
    entry.upload = { ...entry.upload, ...change };
    this.#publish();
  }

  #remove(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#publish();
  }

  #publish(): void {
    this.#snapshot = this.#entries.map((entry) => entry.upload);
    for (const listener of this.#listeners) listener();
  }
}
