import { NumberedNames } from "../../shared/numbered-name.js";
import { readBlob } from "../../shared/read-blob.js";
import { Semaphore } from "../../shared/semaphore.js";
import { brokenLimit, type UploadLimits } from "../../shared/upload-limits.js";
import { createDiagnose } from "../diagnose.js";
import { asFilesError, FilesError, isNameTaken } from "../errors.js";
import type { Events } from "../events.js";
import { issueOfFileName } from "../file-name.js";
import { joinPath } from "../folder-path.js";
import { MAX_OBJECT_BYTES, MIN_MULTIPART_BYTES } from "../limits.js";
import { type Call, type Platform, platformNow } from "../request.js";
import { retryTimingOf } from "../retry.js";
import type { World } from "../world.js";
import { RateMeter } from "./rate-meter.js";
import { createPutFile } from "./send-blob.js";
import type { SendTools, StoredFile, UploadPlatform } from "./send-context.js";
import { UnfinishedUploadFound } from "./send-large-file.js";
import {
  cannotBeRetried,
  isActive,
  phaseOf,
  type Upload,
  type UploadAnswer,
  type UploadApproval,
  type UploadConflictChoice,
  type UploadEvents,
  type UploadedFile,
  type UploadOptions,
  type UploadPhase,
  type UploadQuestion,
  type UploadsState,
} from "./upload.js";
import { MAX_CONCURRENT_REQUESTS, UploadConcurrency } from "./upload-concurrency.js";
import {
  entryOf,
  entryOfRecord,
  type FileToUpload,
  inPhase,
  isFileOf,
  type UploadEntry,
} from "./upload-entry.js";
import { UploadRecords } from "./upload-records.js";
import { UploadRunner } from "./upload-runner.js";
import { createStorageTarget, type UploadTarget } from "./upload-target.js";

/** Files that are uploaded at once: while some wait for a signature, others send. */
const MAX_CONCURRENT_FILES = 8;
/** Multipart uploads among them. */
const MAX_CONCURRENT_MULTIPART = 2;
/** Minimum time between two changes of the state that others see. */
export const NOTIFY_INTERVAL_MS = 100;
const ownContentType = ({ type }: { type: string }) => type || "application/octet-stream";

/** A file with its place. */
export interface FileToAdd {
  /** null for an empty folder; `name` is then the name of the folder */
  file: FileToUpload | null;
  name: string;
  /** the folder that it goes into */
  folderPath: string;
  /** names that are known to be taken there */
  taken?: ReadonlySet<string> | undefined;
  /** the same object for all files that were added at once */
  batch?: object | undefined;
}

export interface UploadQueueContext {
  bucket: string;
  tools: SendTools;
  /** null if no later visit may continue an upload */
  records: UploadRecords | null;
  options: UploadOptions;
  /** Receives each new state, at most every NOTIFY_INTERVAL_MS. */
  publish(state: Omit<UploadsState, "isLoading">): void;
  onUploaded(files: UploadedFile[]): void;
  onFailed(upload: Upload): void;
}

export interface UploadsContext {
  bucket: string;
  platform: Platform;
  call: Call;
  events: Pick<Events<UploadEvents>, "emit">;
  options?: UploadOptions | undefined;
  /** by default, uploads have the names of their files */
  target?: ((call: Call) => UploadTarget) | undefined;
}

/** Parts in memory besides those being sent: read and signed in advance. */
const PARTS_AHEAD = 2;

export function createSendTools(world: World, platform: UploadPlatform): SendTools {
  return {
    ...platform,
    world,
    put: createPutFile(world),
    timing: retryTimingOf(world),
    read: async (...what) => (await world.readBlob?.(...what)) ?? readBlob(...what),
    concurrency: new UploadConcurrency(() => world.clock.now()),
    partSlots: new Semaphore(MAX_CONCURRENT_REQUESTS + PARTS_AHEAD),
    // What is expected of a store until more is known.
    traits: { conditional: true, checksums: true, integrity: "checksum" },
  };
}

/** The queue with all that it needs. It is loaded with the first file, and all that sends files with it. */
export function createQueue(
  {
    bucket,
    platform,
    call,
    events,
    options = {},
    target: createTarget = createStorageTarget,
  }: UploadsContext,
  publish: UploadQueueContext["publish"],
): UploadQueue {
  const { world } = platform;
  const target = createTarget(call);
  const tools = createSendTools(world, {
    call,
    target,
    diagnose: createDiagnose(platform, bucket, "upload"),
    platformNow: () => platformNow(platform),
  });
  return new UploadQueue({
    bucket,
    tools,
    records: target.resumes ? new UploadRecords(world, options.visitorKey ?? "") : null,
    options,
    publish,
    onUploaded: (files) => events.emit("uploaded", { files }),
    onFailed: (upload) => events.emit("uploadFailed", { upload }),
  });
}

/**
 * All uploads, from queued to finished. It starts a few at a time. Every change of an upload goes through `#setPhase` or `#setUpload`, which call
 * `#changed`.
 */
export class UploadQueue {
  #entries = new Map<number, UploadEntry>();
  /** entries that are queued, so that nothing searches through thousands that are done */
  #queued = new QueuedUploads();
  #running = new Set<UploadEntry>();
  #nextId = 1;
  #isNotifying = false;
  #finished: UploadedFile[] = [];
  /** what was decided for all files of a batch whose names are taken */
  readonly #choices = new WeakMap<object, UploadConflictChoice>();
  readonly #numbers = new NumberedNames();
  /** paths of all files so far, for a target that numbers names */
  readonly #usedPaths = new Set<string>();
  readonly #runner: UploadRunner;
  readonly #rate: RateMeter;
  readonly #limits: UploadLimits;

  constructor(readonly context: UploadQueueContext) {
    const { tools, options } = context;
    const { limits = {}, contentTypeOf = ownContentType } = options;
    this.#runner = new UploadRunner({ ...context, contentTypeOf });
    this.#rate = new RateMeter(tools.timing.now);
    const { maxFileBytes = MAX_OBJECT_BYTES } = limits;
    this.#limits = { ...limits, maxFileBytes: Math.min(maxFileBytes, MAX_OBJECT_BYTES) };
  }

  /** All uploads, in the order in which they were added. */
  getUploads(): Upload[] {
    return this.#all().map(({ upload }) => upload);
  }

  /** Each promise resolves when its upload has ended: done, failed or cancelled; or, as it is then, when the queue is closed. */
  add(files: readonly FileToAdd[]): Promise<Upload>[] {
    const needingFile = this.#all().filter(({ upload }) => phaseOf(upload) === "file");
    const added: UploadEntry[] = [];
    const ends = files.map(({ file, name, folderPath, taken, batch }) => {
      const earlier = file && needingFile.find((entry) => isFileOf(entry, file, folderPath, name));
      const entry = earlier ?? this.#enqueue(file, name, folderPath);
      if (taken) entry.taken = taken;
      if (batch) entry.batch = batch;
      if (file && earlier) this.#resumeWith(earlier, file);
      else added.push(entry);
      return endOf(entry);
    });
    this.#askForApproval(added);
    for (const entry of added) if (!entry.isHeld) this.#checkLimitsAndName(entry);
    this.#startQueued();
    return ends;
  }

  /** Adds the unfinished uploads of earlier visits, which wait for their files. */
  async restore(): Promise<void> {
    const { bucket, records, options } = this.context;
    const { mayUploadTo = () => true } = options;
    for (const record of (await records?.find(bucket)) ?? []) {
      if (!mayUploadTo(record.folderPath)) continue;
      const entry = entryOfRecord(this.#nextId++, record);
      this.#entries.set(entry.upload.id, entry);
    }
    this.#changed();
  }

  /** Answers what an upload is asked; does nothing if it waits no longer. @throws a RangeError if this is no answer to the question */
  answer(id: number, answer: UploadAnswer): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const { question } = entry.upload;
    const about = aboutOf(answer);
    if (question && question.about !== about)
      throw new RangeError(`A question about "${question.about}" needs another answer.`);
    // A paused upload may be approved, too.
    if (about === "approval") this.#decide(entry, answer as UploadApproval);
    else if (!question) return;
    else if (about === "conflict") this.#resolve(entry, answer as UploadConflictChoice);
    else if (about === "found") this.#resolveFound(entry, answer === "continue");
    else this.#resumeWith(entry, answer as Blob);
    this.#startQueued();
  }

  /** Answers all questions about taken names, also those that the same batches would ask later. */
  answerConflicts(choice: UploadConflictChoice): void {
    const taken = this.#paths();
    for (const entry of this.#all()) {
      if (phaseOf(entry.upload) !== "conflict") continue;
      this.#choices.set(entry.batch, choice);
      this.#resolve(entry, choice, taken);
    }
    this.#startQueued();
  }

  /** The file of an upload, as long as it is needed; null for a folder, and for a file that has to be chosen again. */
  fileOf(id: number): FileToUpload | null {
    return this.#entries.get(id)?.file ?? null;
  }

  /**
   * The name is taken: asks what to do, unless that has been decided for the whole batch. A file that the store refuses to replace is asked
   * about, as it would be sent again and again.
   */
  #conflict(entry: UploadEntry): void {
    if (!this.#setPhase(entry, "conflict")) return;
    const choice = entry.overwrite ? undefined : this.#choices.get(entry.batch);
    if (choice) this.#resolve(entry, choice);
  }

  /** Continues an upload that needs its file: the stored parts are compared with the file, where the store keeps checksums, and the rest is sent. */
  #resumeWith(entry: UploadEntry, file: FileToUpload): void {
    // Without checksums, the time tells another file of that size from this one.
    const isOtherTime =
      entry.record?.algorithm === null && (file.lastModified ?? 0) !== entry.record.lastModified;
    if (file.size !== entry.upload.size || isOtherTime) {
      this.#setUpload(entry, { ...entry.upload, error: new FilesError("different_file") });
      return;
    }
    entry.file = file;
    this.#setPhase(entry, "queued");
  }

  /** What is stored is compared with the new file, or discarded if that has another size or time. */
  #replaceFile(entry: UploadEntry, file: FileToUpload): void {
    const { lastModified = 0 } = entry.file ?? entry.record ?? {};
    entry.file = file;
    if (file.size !== entry.upload.size || (file.lastModified ?? 0) !== lastModified) {
      void this.#runner.discard(entry);
      this.#setUpload(entry, { ...entry.upload, size: file.size, sent: 0 });
    } else if (entry.multipart) {
      entry.multipart.storedParts.clear();
      entry.multipart.needsCheck = true;
    }
    const problem = this.#brokenLimit(entry);
    if (problem) this.#fail(entry, new FilesError(problem));
  }

  #resolve(entry: UploadEntry, choice: UploadConflictChoice, taken?: Set<string>): void {
    if (choice === "skip") {
      this.#remove(entry);
      return;
    }
    if (choice === "replace") entry.overwrite = true;
    else this.#takeNextName(entry, taken);
    this.#setPhase(entry, "queued");
  }

  #resolveFound(entry: UploadEntry, isContinued: boolean): void {
    if (isContinued) entry.multipart = entry.found;
    entry.found = null;
    entry.mayFind = false;
    this.#setPhase(entry, "queued");
  }

  /** Stops an upload and discards its stored parts; removes one that has failed or needs its file. */
  cancel(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const phase = phaseOf(entry.upload);
    if (phase === "failed" || phase === "file") this.#remove(entry);
    else if (this.#setPhase(entry, "cancelled")) this.#stop(entry);
  }

  /** Stops sending at once. A multipart upload keeps the parts that are stored. */
  pause(id: number): void {
    const entry = this.#entries.get(id);
    if (entry && this.#setPhase(entry, "paused")) this.#stop(entry);
  }

  /** Resumes a paused upload, or tries again after failure or cancellation. @param file what to send from now on */
  retry(id: number, file?: FileToUpload): void {
    const entry = this.#entries.get(id);
    // What waits needs its answer. To an upload that waits for its file, a file is one.
    if (!entry || (entry.upload.status === "waiting" && !(file && phaseOf(entry.upload) === "file"))) return;
    if (!this.#setPhase(entry, "queued")) return;
    if (file) this.#replaceFile(entry, file);
    if (entry.isHeld) {
      this.#askForApproval([entry]);
      if (!entry.isHeld) this.#checkLimitsAndName(entry);
    }
    if (entry.upload.status === "queued") this.#queued.addRetried(entry);
    this.#startQueued();
  }

  pauseAll(): void {
    this.#forEach(isActive, (id) => this.pause(id));
  }

  /** Stops sending, as if the tab was closed. Nobody waits for an upload any more. */
  close(): void {
    this.pauseAll();
    this.context.records?.close();
    for (const entry of this.#all()) entry.ended(entry.upload);
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
      ({ status, error }) => status === "failed" && isSessionEnded(error),
      (id) => this.retry(id),
    );
  }

  /** Cancels all uploads, except those that have failed or need their files. Cancelled ones can be retried. */
  cancelAll(): void {
    this.#forEach(
      (upload) => phaseOf(upload) !== "file" && upload.status !== "failed",
      (id) => this.cancel(id),
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

  #enqueue(file: FileToUpload | null, name: string, folderPath: string): UploadEntry {
    const upload: Upload = {
      id: this.#nextId++,
      isFolder: file === null,
      name: file === null ? name : this.#unusedName(folderPath, name),
      folderPath,
      size: file?.size ?? 0,
      sent: 0,
      status: "queued",
      question: null,
      error: null,
    };
    const entry = entryOf(upload, file);
    this.#entries.set(upload.id, entry);
    this.#setUpload(entry, upload);
    return entry;
  }

  /** Lets files wait for approval, if somebody wants to give it. Skips those that cannot be uploaded anyway. */
  #askForApproval(entries: readonly UploadEntry[]): void {
    const { needsApproval = () => false } = this.context.options;
    const isNeeded = needsApproval();
    for (const entry of entries) {
      if (entry.file === null || this.#brokenLimit(entry) !== null) continue;
      entry.isHeld = isNeeded;
      if (isNeeded) this.#setPhase(entry, "approval");
    }
  }

  #decide(entry: UploadEntry, answer: UploadApproval): void {
    // A cancelled upload is asked about again when it is retried.
    if (!entry.isHeld || entry.upload.status === "cancelled") return;
    if (!answer.approved) {
      this.#fail(
        entry,
        new FilesError(answer.code, answer.reason === undefined ? {} : { message: answer.reason }),
      );
      return;
    }
    const { name: given } = answer;
    const isRenamed = given !== undefined && given !== entry.upload.name;
    const name = isRenamed ? this.#unusedName(entry.upload.folderPath, given) : given;
    entry.isHeld = false;
    this.#setUpload(entry, { ...entry.upload, name: name ?? entry.upload.name });
    // A paused one stays paused.
    if (phaseOf(entry.upload) === "approval") this.#setPhase(entry, "queued");
    if (name === undefined || !this.#resumeRenamed(entry, name)) this.#checkLimitsAndName(entry);
  }

  /** Whoever approves may rename a file the same way each time: continues an unfinished upload of the new name. */
  #resumeRenamed(entry: UploadEntry, name: string): boolean {
    const { file, upload } = entry;
    const earlier = file && this.#all().find((other) => isFileOf(other, file, upload.folderPath, name));
    if (!earlier) return false;
    const { ended } = entry;
    entry.ended = () => {};
    this.#remove(entry);
    onEnd(earlier, ended);
    this.#resumeWith(earlier, file);
    return true;
  }

  /** Fails an upload that is not allowed, and turns one whose name is taken into a conflict. */
  #checkLimitsAndName(entry: UploadEntry): void {
    const { name, isFolder } = entry.upload;
    const problem = this.#brokenLimit(entry) ?? (issueOfFileName(name) === null ? null : "bad_name");
    if (problem) this.#fail(entry, new FilesError(problem));
    else if (!isFolder && entry.taken.has(name)) this.#conflict(entry);
  }

  #brokenLimit(entry: UploadEntry) {
    const { name, size } = entry.upload;
    return entry.file && brokenLimit(this.#limits, { name, size, contentType: this.#contentTypeOf(entry) });
  }

  #contentTypeOf({ file, upload }: UploadEntry): string {
    const { contentTypeOf = ownContentType } = this.context.options;
    return contentTypeOf({ name: file?.name ?? upload.name, type: file?.type ?? "" });
  }

  /** Starts queued uploads while there are free slots. Called whenever an upload is added or ends. */
  #startQueued(): void {
    const isMultipart = ({ upload }: UploadEntry) => upload.size >= MIN_MULTIPART_BYTES;
    // A stopped upload counts until its last request has ended.
    let slots = MAX_CONCURRENT_FILES - this.#running.size;
    if (slots <= 0) return;
    let multipartSlots = MAX_CONCURRENT_MULTIPART - [...this.#running].filter(isMultipart).length;
    for (const entry of this.#queued) {
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
    if (this.#running.size === 0) this.#rate.restart();
    entry.abort = abort;
    this.#running.add(entry);
    this.#setPhase(entry, "sending");
    try {
      const stored = await this.#send(entry, abort.signal);
      if (this.#setPhase(entry, "done")) this.#finished.push({ ...stored, upload: entry.upload });
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(entry, error);
    } finally {
      entry.abort = null;
      this.#running.delete(entry);
      // Only after its last request: until then a part can still be stored.
      if (entry.upload.status === "cancelled") void this.#discardCancelled(entry);
      this.#startQueued();
    }
  }

  /** @throws what `UploadRunner.run` throws; a taken name only if the person has not chosen to keep both files */
  async #send(entry: UploadEntry, signal: AbortSignal): Promise<StoredFile> {
    // A stopped attempt may go on for a moment. By then, its upload may be queued again.
    const setPhase = (next: UploadPhase, error?: FilesError) => {
      if (!signal.aborted) this.#setPhase(entry, next, error);
    };
    const callbacks = {
      onProgress: (bytes: number) => {
        if (!signal.aborted) this.#progress(entry, bytes);
      },
      onRetry: (error: FilesError) => setPhase("retrying", error),
      onChecking: () => setPhase("checking"),
      onSending: () => setPhase("sending"),
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

  #fail(entry: UploadEntry, thrown: unknown): void {
    if (thrown instanceof UnfinishedUploadFound) {
      entry.found = thrown.multipart;
      this.#setPhase(entry, "found");
      return;
    }
    const error = asFilesError(thrown);
    if (isNameTaken(error)) {
      this.#conflict(entry);
    } else if (error.code === "different_file") {
      entry.file = null;
      // Parts that this file has in common with the stored ones tell nothing of the next file.
      entry.multipart?.storedParts.clear();
      this.#setPhase(entry, "file", error);
    } else if (this.#setPhase(entry, "failed", error)) {
      this.context.onFailed(entry.upload);
    }
  }

  /** Stops an upload that was paused or cancelled. */
  #stop(entry: UploadEntry): void {
    if (entry.abort) entry.abort.abort();
    else if (entry.upload.status === "cancelled") void this.#discardCancelled(entry);
    this.#startQueued();
  }

  /**
   * Discards what is stored. An upload that was cancelled or removed too late, when it had been completed, is done, unless it was retried
   * meanwhile.
   */
  async #discardCancelled(entry: UploadEntry): Promise<void> {
    const { upload } = entry;
    const stored = await this.#runner.discard(entry);
    if (stored && entry.upload === upload && this.#setPhase(entry, "done"))
      this.#finished.push({ ...stored, upload: entry.upload });
  }

  /** Switches to the next free name and discards the parts that were sent under the old one. */
  #takeNextName(entry: UploadEntry, taken = this.#paths()): void {
    void this.#runner.discard(entry);
    entry.keepBoth = true;
    entry.overwrite = false;
    entry.mayBeStored = false;
    const pathOf = (name: string) => joinPath(entry.upload.folderPath, name);
    const isTaken = (name: string) => taken.has(pathOf(name)) || entry.taken.has(name);
    const name = this.#numbers.next(entry.upload.name, isTaken, pathOf);
    taken.add(pathOf(name));
    this.#setUpload(entry, { ...entry.upload, name, sent: 0 });
  }

  /** The name; for a target that numbers names, with the next number if an earlier file had it. */
  #unusedName(folderPath: string, name: string): string {
    if (!this.context.tools.target.numbersNames) return name;
    const pathOf = (name: string) => joinPath(folderPath, name);
    const isUsed = (name: string) => this.#usedPaths.has(pathOf(name));
    const unused = isUsed(name) ? this.#numbers.next(name, isUsed, pathOf) : name;
    this.#usedPaths.add(pathOf(unused));
    return unused;
  }

  #paths(): Set<string> {
    return new Set(this.#all().map(({ upload }) => joinPath(upload.folderPath, upload.name)));
  }

  #progress(entry: UploadEntry, bytes: number): void {
    const { upload } = entry;
    const sent = Math.min(bytes, upload.size);
    if (upload.status !== "checking") this.#rate.add(sent - upload.sent);
    this.#setUpload(entry, { ...upload, sent });
  }

  /** The only way to change a status or a question. @returns false, with nothing changed, when `phase` cannot follow the current one */
  #setPhase(entry: UploadEntry, phase: UploadPhase, error: FilesError | null = null): boolean {
    const contentType = phase === "approval" ? this.#contentTypeOf(entry) : undefined;
    const next = inPhase(entry.upload, phase, error, contentType);
    if (next === null) return false;
    this.#setUpload(entry, next);
    if (phase === "done" || phase === "failed" || phase === "cancelled") entry.ended(next);
    return true;
  }

  /** Replaces what others see of an upload, which is never changed in place, and keeps `#queued` up to date. */
  #setUpload(entry: UploadEntry, upload: Upload): void {
    entry.upload = upload;
    if (upload.status === "queued") this.#queued.add(entry);
    else this.#queued.delete(entry);
    this.#changed();
  }

  #remove(entry: UploadEntry): void {
    this.#entries.delete(entry.upload.id);
    this.#setUpload(entry, { ...entry.upload, status: "cancelled", question: null });
    entry.ended(entry.upload);
    void this.#discardCancelled(entry);
  }

  /** Tells what has finished and publishes the state. Throttled: ten thousand files take some fifty thousand changes of phase. */
  #changed(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    const { tools, records, publish, onUploaded } = this.context;
    tools.world.timers.start(() => {
      this.#isNotifying = false;
      const finished = this.#finished;
      this.#finished = [];
      if (finished.length > 0) onUploaded(finished);
      publish({
        uploads: this.getUploads(),
        bytesPerSecond: this.#rate.perSecond,
        isRemembering: records?.isRemembering ?? false,
        isVerified: tools.traits.integrity !== null,
      });
    }, NOTIFY_INTERVAL_MS);
  }
}

/** Calls `ended` when an upload has ended, beside whoever waits for that already. */
function onEnd(entry: UploadEntry, ended: UploadEntry["ended"]): void {
  const { ended: before } = entry;
  entry.ended = (upload) => {
    before(upload);
    ended(upload);
  };
}

/** Resolves when an upload has ended. */
const endOf = (entry: UploadEntry) => new Promise<Upload>((resolve) => onEnd(entry, resolve));

function aboutOf(answer: UploadAnswer): UploadQuestion["about"] {
  if (answer instanceof Blob) return "file";
  if (typeof answer === "object") return "approval";
  return answer === "continue" || answer === "start-over" ? "found" : "conflict";
}

const isSessionEnded = (error: FilesError | null) =>
  error?.code === "session_ended" || error?.code === "invalid_token" || error?.status === 401;

/** Queued uploads in their order; retried ones come first. Every operation stays fast with thousands of them. */
class QueuedUploads {
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
