import { FilesError, isAbort } from "../errors.js";
import { issueOfFolderPath } from "../folder-path.js";
import { loadOnDemand, type OnDemand } from "../load-on-demand.js";
import { retryTimingOf, withRetries } from "../retry.js";
import { Store } from "../store.js";
import type { Upload, UploadAnswer, UploadConflictChoice, UploadsState } from "./upload.js";
import type { FileToAdd, UploadQueue, UploadsContext } from "./upload-queue.js";

/** What sends files. */
type Code = Pick<OnDemand, "createQueue">;
/** How long the first upload waits for the records of earlier visits. */
const RESTORE_TIMEOUT_MS = 2_000;

/** A file, its path in Node, or bytes with a name. `file` is null for an empty folder; `folderPath` is by default that of the call. */
export type UploadItem = File | string | { file: Blob | null; name: string; folderPath?: string };

/**
 * Sends files to the store, several at a time, and continues what was interrupted. The state has the uploads; `uploaded` and `uploadFailed`
 * tell what becomes of them.
 */
export class Uploads {
  readonly #state = new Store<UploadsState>({
    uploads: [],
    bytesPerSecond: null,
    isRemembering: true,
    isVerified: true,
    isLoading: false,
  });
  /** since the code was loaded, and until `close` */
  #queue: UploadQueue | undefined;
  #hasLoaded!: (queue: UploadQueue) => void;
  readonly #loaded = new Promise<UploadQueue>((resolve) => {
    this.#hasLoaded = resolve;
  });
  /** of the uploads of earlier visits, which happens once */
  #restoring: Promise<void> | undefined;
  /** calls of `add` that wait for the code */
  #adding = 0;
  /** aborted by `cancelAll` and `close`, for files that wait for the code */
  #givingUp = new AbortController();
  #isClosed = false;

  /** @param loadCode by default, the engine's own */
  constructor(
    private readonly context: UploadsContext,
    private readonly loadCode: () => Promise<Code> = loadOnDemand,
  ) {}

  getState = (): UploadsState => this.#state.getState();

  subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener);

  /**
   * Uploads files to a folder. A file that an earlier visit has begun to upload there continues. Resolves when all have ended: done, failed
   * or cancelled. What is removed from the state counts as cancelled. What is cancelled too late also resolves as cancelled, although it
   * becomes `done`. `close` ends the wait, too: uploads that have not ended are then paused or waiting.
   * @param folderPath the folder's path
   * @param known `taken`: names that are taken there; others are found out. `batch`: files that are added with the same object count as added
   * at once: what is decided for all taken names of them also holds for those that are found out later. By default, each call is a batch.
   * @throws a RangeError if the path is no folder's path; a FilesError `unreadable`, or `unreachable` if the code was not there for ten minutes
   */
  async add(
    items: Iterable<UploadItem>,
    folderPath: string,
    { taken, batch = {} }: { taken?: ReadonlySet<string>; batch?: object } = {},
  ): Promise<Upload[]> {
    const issue = issueOfFolderPath(folderPath);
    if (issue !== null) throw new RangeError(`The path of a folder ${issue}.`);
    const { signal } = this.#givingUp;
    this.#adding++;
    if (!this.#queue) this.#state.setState({ ...this.getState(), isLoading: true });
    let ends: Promise<Upload>[] = [];
    try {
      const files = await Promise.all([...items].map((item) => this.#open(item, folderPath)));
      const queue = await this.#whenLoaded();
      await this.#restored(queue);
      signal.throwIfAborted();
      ends = queue.add(
        files.map((file) => ({ ...file, batch, ...(file.folderPath === folderPath && { taken }) })),
      );
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) throw error;
    } finally {
      this.#adding--;
      // Otherwise the queue is about to publish its state.
      if (ends.length === 0) this.#state.setState({ ...this.getState(), isLoading: this.#adding > 0 });
    }
    return Promise.all(ends);
  }

  /** Adds the unfinished uploads of earlier visits to the state, where they wait for their files. `add` does so, too. */
  async restore(): Promise<void> {
    const { world } = this.context.platform;
    const records = await world.storage.all().catch(() => []);
    if (records.length > 0) await this.#restored(await this.#whenLoaded());
  }

  /** Stops sending at once. An upload in parts keeps those that are stored. */
  pause(id: number): void {
    this.#queue?.pause(id);
  }

  pauseAll(): void {
    this.#queue?.pauseAll();
  }

  /** Resumes a paused upload, or tries again after failure or cancellation. @param file chosen again, instead of one that can no longer be read */
  retry(id: number, file?: File): void {
    this.#queue?.retry(id, file);
  }

  resumeAll(): void {
    this.#queue?.resumeAll();
  }

  /** Retries all failed uploads; if there are none, all cancelled ones. */
  retryAll(): void {
    this.#queue?.retryAll();
  }

  /** Retries what failed because the session had ended. For a visitor who has signed in again. */
  retryEnded(): void {
    this.#queue?.retryEnded();
  }

  /**
   * Stops an upload and discards its stored parts; removes one that has failed or waits for its file. One in parts that was complete by then
   * becomes `done`, and the event `uploaded` tells of it.
   */
  cancel(id: number): void {
    this.#queue?.cancel(id);
  }

  /** Cancels all uploads, except those that have failed or wait for their files. Cancelled ones can be retried. */
  cancelAll(): void {
    if (this.#isClosed) return;
    this.#givingUp.abort(new DOMException("The uploads were cancelled.", "AbortError"));
    this.#givingUp = new AbortController();
    this.#queue?.cancelAll();
  }

  /**
   * Stops sending, as if the tab was closed: a later client continues what is unfinished. Files that are added now are left out, and nothing
   * that is called now changes an upload.
   */
  close(): void {
    this.#givingUp.abort(new DOMException("The client was closed.", "AbortError"));
    this.#isClosed = true;
    this.#queue?.close();
    this.#queue = undefined;
  }

  /** Answers what an upload is asked; does nothing if it waits no longer. @throws a RangeError if this is no answer to the question */
  answer(id: number, answer: UploadAnswer): void {
    this.#queue?.answer(id, answer);
  }

  /** The file of an upload, as long as it is needed; null for a folder, and for a file that has to be chosen again. */
  fileOf(id: number): File | null {
    const file = this.#queue?.fileOf(id);
    return file instanceof File ? file : null;
  }

  /** Answers all questions about taken names, and those that files of the same batches would ask later. */
  answerConflicts(choice: UploadConflictChoice): void {
    this.#queue?.answerConflicts(choice);
  }

  /** Removes done, cancelled and failed uploads from the state. */
  clearEnded(): void {
    this.#queue?.clearEnded();
  }

  /** Loads the code that sends files now. Uploads that wait for it go on. @throws a FilesError `code_not_loaded` */
  async load(): Promise<void> {
    await this.#load();
  }

  async #load(): Promise<UploadQueue> {
    const { createQueue } = await this.loadCode().catch(() => {
      throw new FilesError("code_not_loaded");
    });
    const queue =
      this.#queue ??
      createQueue(this.context, (state) => this.#state.setState({ ...state, isLoading: this.#adding > 0 }));
    // Closed while the code was loading.
    if (this.#isClosed) queue.close();
    else this.#queue = queue;
    this.#hasLoaded(queue);
    return queue;
  }

  /**
   * Loading is retried as after a broken connection, because the files would have to be chosen again. A call of `load` that succeeds ends the
   * wait, too.
   * @throws a FilesError, or an AbortError after `cancelAll`
   */
  async #whenLoaded(): Promise<UploadQueue> {
    if (this.#queue) return this.#queue;
    const { world } = this.context.platform;
    const load = () =>
      this.#load().catch(() => {
        throw new FilesError(world.network.isOnline() ? "unreachable" : "offline");
      });
    const { signal } = this.#givingUp;
    return Promise.race([this.#loaded, withRetries(load, retryTimingOf(world), { signal })]);
  }

  /** Resolves when the uploads of earlier visits are in the state, or when that takes too long. */
  #restored(queue: UploadQueue): Promise<void> {
    const { timers } = this.context.platform.world;
    this.#restoring ??= new Promise((resolve) => {
      const stop = timers.start(resolve, RESTORE_TIMEOUT_MS);
      void queue.restore().finally(() => {
        stop();
        resolve();
      });
    });
    return this.#restoring;
  }

  async #open(item: UploadItem, folderPath: string): Promise<FileToAdd> {
    if (typeof item !== "string") {
      if (!(item instanceof Blob)) return { folderPath, ...item };
      return { file: item, name: item.name, folderPath };
    }
    const { openFile } = this.context.platform.world;
    if (!openFile)
      throw new FilesError("unreadable", { message: "Only nodeWorld opens files by their paths." });
    const file = await openFile(item);
    return { file, name: file.name, folderPath };
  }
}
