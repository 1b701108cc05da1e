import { joinPath } from "../folder-path";
import { asProblem, type StorageClient, StorageProblem } from "../storage-client";
import { brokenLimit, type UploadLimits } from "../upload-limits";
import { numberedName } from "./numbered-name";
import type { PutFile } from "./put-file";
import { type RetryTiming, realTiming } from "./retry";
import { type SendEvents, type StoreTraits, sendFile } from "./send-file";
import { advanced, type ConflictChoice, type Upload, type UploadStatus } from "./upload";

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
  /** the token's */
  limits?: UploadLimits;
}

export interface UploadEvents {
  /** true when a file of that name is already on the screen: then we ask before sending anything */
  isKnown(folderPath: string, name: string): boolean;
  onDone(upload: Upload, key: string): void;
  onFailed(upload: Upload): void;
}

interface Entry {
  upload: Upload;
  file: File;
  overwrite: boolean;
  /** on a conflict, take the next free name instead of asking */
  keepBoth: boolean;
  abort: AbortController | null;
}

/** Running and finished uploads: a small store for `useSyncExternalStore`. */
export class UploadQueue {
  #entries: Entry[] = [];
  #snapshot: Upload[] = [];
  #listeners = new Set<() => void>();
  #nextId = 1;
  #lastProgress = 0;
  #traits: StoreTraits = { conditional: true };
  /** What may be sent: what one PUT can carry, and what the token allows. */
  readonly limits: UploadLimits & { maxFileBytes: number };

  /** @param events those of the moment: what is on the screen changes */
  constructor(
    readonly options: UploadQueueOptions,
    readonly events: () => UploadEvents,
  ) {
    const { maxFileBytes = LARGEST_FILE, ...limits } = options.limits ?? {};
    this.limits = { ...limits, maxFileBytes: Math.min(maxFileBytes, LARGEST_FILE) };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getUploads = (): Upload[] => this.#snapshot;

  add(files: IncomingFile[]): void {
    for (const { file, folderPath } of files) {
      const { name, size } = file;
      const broken = brokenLimit(this.limits, { name, size, contentType: this.options.contentTypeOf(file) });
      const problem = broken && new StorageProblem(broken);
      const status = problem ? "failed" : this.events().isKnown(folderPath, name) ? "conflict" : "waiting";
      const upload: Upload = { id: this.#nextId++, name, folderPath, size, sent: 0, status, problem };
      this.#entries.push({ file, overwrite: false, keepBoth: false, abort: null, upload });
      if (problem) this.events().onFailed(upload);
    }
    this.#publish();
    this.#startWaiting();
  }

  /** Stops an upload; one that has failed already is removed from the list. */
  cancel(id: number): void {
    const entry = this.#find(id);
    if (entry?.upload.status === "failed") this.#remove(entry);
    if (!entry || !this.#move(entry, "cancelled")) return;
    entry.abort?.abort(new DOMException("The upload was cancelled.", "AbortError"));
    this.#startWaiting();
  }

  retry(id: number): void {
    const entry = this.#find(id);
    if (entry && this.#move(entry, "waiting")) this.#startWaiting();
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
    this.#move(entry, "waiting");
    this.#startWaiting();
  }

  resolveAll(choice: ConflictChoice): void {
    for (const { upload } of [...this.#entries]) this.resolve(upload.id, choice);
  }

  clearFinished(): void {
    this.#entries = this.#entries.filter(
      ({ upload: { status } }) => status !== "done" && status !== "cancelled",
    );
    this.#publish();
  }

  #startWaiting(): void {
    const running = this.#entries.filter(
      ({ upload: { status } }) => status === "sending" || status === "retrying",
    );
    const waiting = this.#entries.filter(({ upload }) => upload.status === "waiting");
    for (const entry of waiting.slice(0, Math.max(MOST_IN_FLIGHT - running.length, 0))) void this.#run(entry);
  }

  async #run(entry: Entry): Promise<void> {
    const abort = new AbortController();
    entry.abort = abort;
    this.#move(entry, "sending");
    try {
      const key = await this.#send(entry, abort.signal);
      if (key === null) this.#move(entry, "conflict");
      else if (this.#move(entry, "done")) this.events().onDone(entry.upload, key);
    } catch (error) {
      if (abort.signal.aborted) return;
      if (this.#move(entry, "failed", asProblem(error))) this.events().onFailed(entry.upload);
    } finally {
      this.#startWaiting();
    }
  }

  /** The key of the file that is now in the store, or null when its name is taken and a person has to decide. */
  async #send(entry: Entry, signal: AbortSignal): Promise<string | null> {
    const { client, put, contentTypeOf, timing = realTiming } = this.options;
    const events: SendEvents = {
      onProgress: (sent) => this.#progress(entry, sent),
      onStatus: (status) => this.#move(entry, status),
    };
    for (;;) {
      const { folderPath, name } = entry.upload;
      const { file, overwrite } = entry;
      const what = { file, folderPath, name, overwrite, contentType: contentTypeOf(file) };
      const key = await sendFile(what, { client, put, timing }, this.#traits, events, signal);
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
    while (others.has(joinPath(folderPath, name)) || this.events().isKnown(folderPath, name));
    entry.upload = { ...entry.upload, name };
    this.#publish();
  }

  #progress(entry: Entry, sent: number): void {
    entry.upload = { ...entry.upload, sent: Math.min(sent, entry.upload.size) };
    if (performance.now() - this.#lastProgress < PROGRESS_INTERVAL) return;
    this.#lastProgress = performance.now();
    this.#publish();
  }

  /** False, with nothing changed, when the upload cannot get to `status` from where it is. */
  #move(entry: Entry, status: UploadStatus, problem: StorageProblem | null = null): boolean {
    const upload = advanced(entry.upload, status, problem);
    if (upload === null) return false;
    entry.upload = upload;
    this.#publish();
    return true;
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find((entry) => entry.upload.id === id);
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
