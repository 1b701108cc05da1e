import {
  type ConflictChoice,
  issueOfSegment,
  joinPath,
  MAX_OBJECT_BYTES,
} from "platform-embed-element/client";
import type { FileToUpload } from "../../../../../embed-element/protocol";
import { numberedName } from "../../../../../embed-element/shared/numbered-name";
import { brokenLimit, type UploadLimits } from "../../../../../embed-element/shared/upload-limits";
import { Listeners } from "../../../../shared/listeners";
import { asProblem, isNameTaken, StorageProblem } from "../../place/contract/storage-problem";
import { RateMeter } from "./rate-meter";
import type { StoredFile } from "./send-context";
import { UnfinishedUploadFound } from "./send-large-file";
import {
  activeStatuses,
  cannotBeRetried,
  entryOf,
  entryOfRecord,
  isFileOf,
  type Upload,
  type UploadEntry,
  type UploadStatus,
  withStatus,
} from "./upload";
import type { UploadRecord } from "./upload-records";
import { MIN_MULTIPART_BYTES, type RunnerOptions, UploadRunner } from "./upload-runner";

/** Files that are uploaded at once: while some wait for a signature, others send. */
const MAX_CONCURRENT_FILES = 8;
/** Multipart uploads among them. */
const MAX_CONCURRENT_MULTIPART = 2;
/** Minimum time between two notifications of the screen. */
export const NOTIFY_INTERVAL_MS = 100;

export interface IncomingFile {
  /** null for an empty folder; `name` is then the name of the folder */
  file: File | null;
  name: string;
  /** the folder that it goes into */
  folderPath: string;
}

export interface FinishedFile extends StoredFile {
  upload: Upload;
}

export interface UploadCallbacks {
  /** Whether a file of that name is on the screen. If so, the person is asked before anything is sent. */
  isListed(folderPath: string, name: string): boolean;
  onFinished(files: FinishedFile[]): void;
  onFailed(upload: Upload): void;
}

/**
 * All uploads, from waiting to finished. It starts a few at a time, and is a store for React's `useSyncExternalStore`. Every change of an upload
 * goes through `#setStatus` or `#setUpload`, which call `#changed`.
 */
export class UploadQueue {
  #entries = new Map<number, UploadEntry>();
  /** entries with status `waiting`, so that nothing searches through thousands that are done */
  #waiting = new WaitingUploads();
  #running = new Set<UploadEntry>();
  #snapshot: Upload[] | null = null;
  readonly #listeners = new Listeners();
  #nextId = 1;
  #notifying: ReturnType<typeof setTimeout> | undefined;
  #finished: FinishedFile[] = [];
  readonly #runner: UploadRunner;
  readonly rate = new RateMeter();
  /** The limits of the token and of the store. */
  readonly limits: UploadLimits & { maxFileBytes: number };

  /** @param callbacks returns the current callbacks, which change with the screen */
  constructor(
    readonly options: RunnerOptions & { limits?: UploadLimits; gate?: UploadGate },
    readonly callbacks: () => UploadCallbacks,
  ) {
    this.#runner = new UploadRunner(options);
    const { maxFileBytes = MAX_OBJECT_BYTES, ...limits } = options.limits ?? {};
    this.limits = { ...limits, maxFileBytes: Math.min(maxFileBytes, MAX_OBJECT_BYTES) };
  }

  /** Whether the store notices bytes that changed on the way to it, as far as that is known. */
  get storeVerifiesChecksums(): boolean {
    return this.options.tools.traits.integrity !== null;
  }

  /** Whether this browser remembers unfinished uploads, as far as that is known. */
  get isRemembering(): boolean {
    return this.options.records.isRemembering;
  }

  readonly subscribe = this.#listeners.subscribe;

  getUploads = (): Upload[] => {
    this.#snapshot ??= this.#all().map(({ upload }) => upload);
    return this.#snapshot;
  };

  /** Takes files that were chosen or dropped. */
  add(files: readonly IncomingFile[]): void {
    const needingFile = this.#all().filter(({ upload }) => upload.status === "needs-file");
    const added: UploadEntry[] = [];
    for (const { file, name, folderPath } of files) {
      const earlier = file && needingFile.find((entry) => isFileOf(entry, file, folderPath, name));
      if (file && earlier) this.resumeWith(earlier.upload.id, file);
      else added.push(this.#enqueue(file, name, folderPath));
    }
    this.#askPage(added);
    for (const entry of added) if (!entry.isHeld) this.#checkLimitsAndName(entry);
    this.#startQueued();
  }

  /** Adds the unfinished uploads of earlier visits, which need their files again. */
  addUnfinished(records: readonly UploadRecord[]): void {
    for (const record of records) {
      const entry = entryOfRecord(this.#nextId++, record);
      this.#entries.set(entry.upload.id, entry);
    }
    this.#changed();
  }

  /** Continues an upload that needs its file: the stored parts are compared with the file, where the store keeps checksums, and the rest is sent. */
  resumeWith(id: number, file: File): void {
    const entry = this.#entries.get(id);
    if (entry?.upload.status !== "needs-file") return;
    // Without checksums, the time tells another file of that size from this one.
    const isOtherTime = entry.record?.algorithm === null && file.lastModified !== entry.record.lastModified;
    if (file.size !== entry.upload.size || isOtherTime) {
      this.#setUpload(entry, { ...entry.upload, problem: new StorageProblem("different_file") });
      return;
    }
    entry.file = file;
    this.#setStatus(entry, "waiting");
    this.#startQueued();
  }

  /** Stops an upload and discards its stored parts; removes one that has failed or needs its file. */
  cancel(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const { status } = entry.upload;
    if (status === "failed" || status === "needs-file") this.#remove(entry);
    else if (this.#setStatus(entry, "cancelled")) this.#stop(entry);
  }

  /** Stops sending at once. A multipart upload keeps the parts that are stored. */
  pause(id: number): void {
    const entry = this.#entries.get(id);
    if (entry && this.#setStatus(entry, "paused")) this.#stop(entry);
  }

  /** Resumes a paused upload, or tries again after failure or cancellation. */
  retry(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry || !this.#setStatus(entry, "waiting")) return;
    if (entry.isHeld) {
      this.#askPage([entry]);
      if (!entry.isHeld) this.#checkLimitsAndName(entry);
    }
    if (entry.upload.status === "waiting" && !entry.isHeld) this.#waiting.addRetried(entry);
    this.#startQueued();
  }

  pauseAll(): void {
    this.#forEach(
      ({ status }) => activeStatuses.includes(status),
      (id) => this.pause(id),
    );
  }

  resumeAll(): void {
    this.#forEach(
      ({ status }) => status === "paused",
      (id) => this.retry(id),
    );
  }

  /** Retries all failed uploads; if there are none, all cancelled ones. */
  retryAll(): void {
    const hasFailed = (upload: Upload) => upload.status === "failed" && !cannotBeRetried(upload);
    const someFailed = this.getUploads().some(hasFailed);
    this.#forEach(
      (upload) => (someFailed ? hasFailed(upload) : upload.status === "cancelled"),
      (id) => this.retry(id),
    );
  }

  /** Retries what failed because the session had ended. For a visitor who has signed in again. */
  retryEnded(): void {
    this.#forEach(
      ({ status, problem }) => status === "failed" && problem?.code === "session_ended",
      (id) => this.retry(id),
    );
  }

  /** Cancels all uploads, except those that have failed or need their files. Cancelled ones can be retried. */
  cancelAll(): void {
    this.#forEach(
      ({ status }) => status !== "needs-file" && status !== "failed",
      (id) => this.cancel(id),
    );
  }

  /** Continues the unfinished upload that was found, or sends the file from its beginning. */
  resolveFound(id: number, isContinued: boolean): void {
    const entry = this.#entries.get(id);
    if (entry?.upload.status !== "found") return;
    if (isContinued) entry.multipart = entry.found;
    entry.found = null;
    entry.mayFind = false;
    this.#setStatus(entry, "waiting");
    this.#startQueued();
  }

  /** @param taken paths of the other uploads, computed once if many are resolved together */
  resolve(id: number, choice: ConflictChoice, taken?: Set<string>): void {
    const entry = this.#entries.get(id);
    if (entry?.upload.status !== "conflict") return;
    if (choice === "skip") {
      this.#remove(entry);
      return;
    }
    if (choice === "replace") entry.overwrite = true;
    else this.#takeNextName(entry, taken);
    this.#setStatus(entry, "waiting");
    this.#startQueued();
  }

  resolveAll(choice: ConflictChoice): void {
    const taken = this.#paths();
    this.#forEach(
      ({ status }) => status === "conflict",
      (id) => this.resolve(id, choice, taken),
    );
  }

  /** Removes done, cancelled and failed uploads from the list. */
  clearEnded(): void {
    for (const entry of this.#all()) {
      const { id, status } = entry.upload;
      if (status === "failed") this.#remove(entry);
      else if (status === "done" || status === "cancelled") this.#entries.delete(id);
    }
    this.#changed();
  }

  #all(): UploadEntry[] {
    return [...this.#entries.values()];
  }

  #forEach(which: (upload: Upload) => boolean, act: (id: number) => void): void {
    for (const { upload } of this.#all()) if (which(upload)) act(upload.id);
  }

  #enqueue(file: File | null, name: string, folderPath: string): UploadEntry {
    const upload: Upload = {
      id: this.#nextId++,
      isFolder: file === null,
      name,
      folderPath,
      size: file?.size ?? 0,
      sent: 0,
      status: "waiting",
      problem: null,
    };
    const entry = entryOf(upload, file);
    this.#entries.set(upload.id, entry);
    this.#setUpload(entry, upload);
    return entry;
  }

  /** Asks the embedding page about files. Skips those that cannot be uploaded anyway. */
  #askPage(entries: readonly UploadEntry[]): void {
    const { gate, contentTypeOf } = this.options;
    const asked = entries.filter((entry) => entry.file !== null && this.#brokenLimit(entry) === null);
    const files = asked.map(({ file, upload: { name, size, folderPath } }) => {
      return { name, size, type: file ? contentTypeOf(file) : "", folderPath };
    });
    if (files.length === 0 || !gate) return;
    const decide = (decisions: GateDecision[]) => {
      for (const decision of decisions) this.#applyDecision(asked[decision.index], decision);
      this.#startQueued();
    };
    const isAsked = gate.ask(files, decide);
    for (const entry of asked) {
      entry.isHeld = isAsked;
      if (isAsked) this.#waiting.delete(entry);
    }
  }

  #applyDecision(entry: UploadEntry | undefined, { problem, name }: GateDecision): void {
    // A cancelled upload is asked about again when it is retried.
    if (!entry?.isHeld || entry.upload.status === "cancelled") return;
    if (problem) {
      this.#fail(entry, problem);
      return;
    }
    entry.isHeld = false;
    this.#setUpload(entry, { ...entry.upload, name: name ?? entry.upload.name });
    if (name === undefined || !this.#resumeRenamed(entry, name)) this.#checkLimitsAndName(entry);
  }

  /** The embedding page may rename a file the same way each time: continues an unfinished upload of the new name. */
  #resumeRenamed(entry: UploadEntry, name: string): boolean {
    const { file, upload } = entry;
    const earlier = file && this.#all().find((other) => isFileOf(other, file, upload.folderPath, name));
    if (!earlier) return false;
    this.#remove(entry);
    this.resumeWith(earlier.upload.id, file);
    return true;
  }

  /** Fails an upload that is not allowed, and turns one whose name is taken into a conflict. */
  #checkLimitsAndName(entry: UploadEntry): void {
    const { name, folderPath, isFolder } = entry.upload;
    const problem = this.#brokenLimit(entry) ?? (issueOfSegment(name) === null ? null : "bad_name");
    if (problem) this.#fail(entry, new StorageProblem(problem));
    else if (!isFolder && this.callbacks().isListed(folderPath, name)) this.#setStatus(entry, "conflict");
  }

  #brokenLimit({ file, upload: { name, size } }: UploadEntry) {
    return file && brokenLimit(this.limits, { name, size, contentType: this.options.contentTypeOf(file) });
  }

  /** Starts waiting uploads while there are free slots. Called whenever an upload is added or ends. */
  #startQueued(): void {
    const isMultipart = ({ upload }: UploadEntry) => upload.size >= MIN_MULTIPART_BYTES;
    // A stopped upload counts until its last request has ended.
    let slots = MAX_CONCURRENT_FILES - this.#running.size;
    if (slots <= 0) return;
    let multipartSlots = MAX_CONCURRENT_MULTIPART - [...this.#running].filter(isMultipart).length;
    for (const entry of this.#waiting) {
      if (slots <= 0) return;
      if (this.#running.has(entry)) continue;
      if (isMultipart(entry)) {
        if (multipartSlots <= 0) continue;
        multipartSlots--;
      }
      slots--;
      void this.#run(entry);
    }
  }

  /** Sends one upload, and sets its status by the outcome. */
  async #run(entry: UploadEntry): Promise<void> {
    const abort = new AbortController();
    if (this.#running.size === 0) this.rate.restart();
    entry.abort = abort;
    this.#running.add(entry);
    this.#setStatus(entry, "sending");
    try {
      const stored = await this.#send(entry, abort.signal);
      if (this.#setStatus(entry, "done")) this.#finished.push({ ...stored, upload: entry.upload });
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(entry, error);
    } finally {
      entry.abort = null;
      this.#running.delete(entry);
      // Only after its last request: until then a part can still be stored.
      if (entry.upload.status === "cancelled") this.#runner.discard(entry);
      this.#startQueued();
    }
  }

  /** @throws what `UploadRunner.run` throws; a taken name only if the person has not chosen to keep both files */
  async #send(entry: UploadEntry, signal: AbortSignal): Promise<StoredFile> {
    const callbacks = {
      onProgress: (bytes: number) => this.#progress(entry, bytes),
      onRetry: (problem: StorageProblem) => void this.#setStatus(entry, "retrying", problem),
      onChecking: () => void this.#setStatus(entry, "checking"),
      onSending: () => void this.#setStatus(entry, "sending"),
    };
    for (;;) {
      try {
        return await this.#runner.run(entry, callbacks, signal);
      } catch (error) {
        if (!entry.keepBoth || !isNameTaken(error)) throw error;
        this.#takeNextName(entry);
      }
    }
  }

  #fail(entry: UploadEntry, error: unknown): void {
    if (error instanceof UnfinishedUploadFound) {
      entry.found = error.multipart;
      this.#setStatus(entry, "found");
      return;
    }
    const problem = asProblem(error);
    if (isNameTaken(error)) {
      this.#setStatus(entry, "conflict");
    } else if (problem.code === "different_file") {
      entry.file = null;
      this.#setStatus(entry, "needs-file", problem);
    } else if (this.#setStatus(entry, "failed", problem)) {
      this.callbacks().onFailed(entry.upload);
    }
  }

  /** Stops an upload that was paused or cancelled. */
  #stop(entry: UploadEntry): void {
    if (entry.abort) entry.abort.abort();
    else if (entry.upload.status === "cancelled") this.#runner.discard(entry);
    this.#startQueued();
  }

  /** Switches to the next free name and discards the parts that were sent under the old one. */
  #takeNextName(entry: UploadEntry, taken = this.#paths()): void {
    this.#runner.discard(entry);
    entry.keepBoth = true;
    const { folderPath } = entry.upload;
    let name = entry.upload.name;
    do name = numberedName(name);
    while (taken.has(joinPath(folderPath, name)) || this.callbacks().isListed(folderPath, name));
    taken.add(joinPath(folderPath, name));
    this.#setUpload(entry, { ...entry.upload, name, sent: 0 });
  }

  #paths(): Set<string> {
    return new Set(this.#all().map(({ upload }) => joinPath(upload.folderPath, upload.name)));
  }

  #progress(entry: UploadEntry, bytes: number): void {
    const { upload } = entry;
    const sent = Math.min(bytes, upload.size);
    if (upload.status !== "checking") this.rate.add(sent - upload.sent);
    this.#setUpload(entry, { ...upload, sent });
  }

  /** The only way to change a status. @returns false, with nothing changed, when `status` cannot follow the current one */
  #setStatus(entry: UploadEntry, status: UploadStatus, problem: StorageProblem | null = null): boolean {
    const upload = withStatus(entry.upload, status, problem);
    if (upload === null) return false;
    this.#setUpload(entry, upload);
    return true;
  }

  /** Replaces what the panel shows of an upload, which is never changed in place, and keeps `#waiting` up to date. */
  #setUpload(entry: UploadEntry, upload: Upload): void {
    entry.upload = upload;
    if (upload.status === "waiting" && !entry.isHeld) this.#waiting.add(entry);
    else this.#waiting.delete(entry);
    this.#changed();
  }

  #remove(entry: UploadEntry): void {
    this.#entries.delete(entry.upload.id);
    this.#waiting.delete(entry);
    this.#runner.discard(entry);
    this.#changed();
  }

  /**
   * Tells the callbacks which files have finished, and React that uploads have changed. Throttled: ten thousand files change their status
   * some fifty thousand times.
   */
  #changed(): void {
    this.#snapshot = null;
    this.#notifying ??= setTimeout(() => {
      this.#notifying = undefined;
      const finished = this.#finished;
      this.#finished = [];
      if (finished.length > 0) this.callbacks().onFinished(finished);
      this.#listeners.notify();
    }, NOTIFY_INTERVAL_MS);
  }
}

/** The decision on one file. */
export interface GateDecision {
  /** index of the file in the question */
  index: number;
  /** why it is refused */
  problem?: StorageProblem;
  /** the new name */
  name?: string;
}

/** Decides on files before they are uploaded: may refuse or rename each. `EmbeddingPageGate` asks the embedding page. */
export interface UploadGate {
  /**
   * @param decide receives one decision for each file, in one or several calls
   * @returns false when nobody decides; then `decide` is never called
   */
  ask(files: FileToUpload[], decide: (decisions: GateDecision[]) => void): boolean;
}

/** Waiting uploads in their order; retried ones come first. Every operation stays fast with thousands of them. */
class WaitingUploads {
  #retried = new Set<UploadEntry>();
  #others = new Set<UploadEntry>();

  /** Adds an upload at the end; does nothing if it is waiting already. */
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
