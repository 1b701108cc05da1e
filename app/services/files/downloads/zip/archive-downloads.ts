import {
  type ArchiveEntry,
  type ArchiveProgress,
  asFilesError,
  type FilesClient,
  FilesError,
  type LeftOut,
  type Row,
  Store,
  type ZipOptions,
} from "platform-embed-element/client";
import { saveFile } from "../save-file";
import { saveArchive } from "./save-archive";

/** Minimum time between two progress updates of the screen. */
const PROGRESS_INTERVAL_MS = 100;

/** `preparing`: the folders are being listed. */
type DownloadStatus = "preparing" | "running" | "done" | "failed";

/** A download of several files or of folders. */
export interface Download {
  id: number;
  /** of the archive, with `.zip`; empty while preparing */
  fileName: string;
  status: DownloadStatus;
  /** `archive`: a streamed zip; `memory`: a zip that is saved when it is complete; `singly`: file by file */
  strategy: "archive" | "memory" | "singly";
  /** while preparing: the number found so far */
  fileCount: number;
  /** complete, or with `singly`, handed to the browser */
  filesDone: number;
  /** bytes of all files, and how many of them have been read */
  size: number;
  bytes: number;
  /** the connection broke and is being retried */
  isRetrying: boolean;
  problem: FilesError | null;
  /** files that are not in the archive: browsers cannot fetch them, or the malware scanner has not checked or has blocked them */
  leftOut: readonly LeftOut[];
  /** number of files and folders that have other names in the archive */
  renamed: number;
}

interface DownloadCallbacks {
  onDone(download: Download): void;
}

type DownloadClient = Pick<FilesClient, "downloads">;

/** A requested download; `fileName` may use the number of files. */
interface RequestedArchive extends Pick<ZipOptions, "at" | "onlyChecked" | "words"> {
  items: readonly Row[];
  fileName(files: number): string;
}

interface Entry {
  download: Download;
  wanted: RequestedArchive;
  abort: AbortController;
}

/** Downloads of several files. The state is the list that the tray shows. */
export class ArchiveDownloads {
  #entries: Entry[] = [];
  readonly #store = new Store<readonly Download[]>([]);
  #nextId = 1;
  #lastProgress = 0;

  /** @param callbacks returns the current callbacks, which change with the screen */
  constructor(
    readonly client: DownloadClient,
    readonly callbacks: () => DownloadCallbacks,
  ) {}

  readonly subscribe = this.#store.subscribe;
  readonly getState = this.#store.getState;

  start(wanted: RequestedArchive): void {
    const entry = { download: { ...NEW_DOWNLOAD, id: this.#nextId++ }, wanted, abort: new AbortController() };
    this.#entries = [...this.#entries.filter(({ download }) => download.status !== "done"), entry];
    void this.#run(entry);
  }

  /** Starts again, with the present content of the folders. */
  retry(id: number): void {
    const entry = this.#entries.find(({ download }) => download.id === id);
    if (entry?.download.status !== "failed") return;
    entry.download = { ...NEW_DOWNLOAD, id };
    entry.abort = new AbortController();
    void this.#run(entry);
  }

  /** Stops a download and removes it from the list. */
  remove(id: number): void {
    for (const { download, abort } of this.#entries) {
      if (download.id === id) abort.abort();
    }
    this.#entries = this.#entries.filter(({ download }) => download.id !== id);
    this.#publish();
  }

  async #run(entry: Entry): Promise<void> {
    const { signal } = entry.abort;
    this.#change(entry, {});
    try {
      const outcome = await this.#download(entry, signal);
      // The person stopped it in the browser's own list of downloads, which shows that.
      if (outcome === "stopped") return this.remove(entry.download.id);
      this.#change(entry, { status: "done", isRetrying: false });
      this.callbacks().onDone(entry.download);
    } catch (error) {
      if (signal.aborted) return;
      const problem = await this.#explained(asFilesError(error), entry.download, signal);
      if (signal.aborted) return;
      this.#fail(entry, problem);
    }
  }

  #fail(entry: Entry, problem: FilesError): void {
    this.#change(entry, { status: "failed", isRetrying: false, problem });
  }

  async #download(entry: Entry, signal: AbortSignal): Promise<"done" | "stopped"> {
    const { downloads } = this.client;
    const { items, fileName: nameFor, ...options } = entry.wanted;
    const onFound = (fileCount: number) => this.#progress(entry, { fileCount });
    const zip = await downloads.zip(items, { ...options, onFound, signal });
    const { leftOut, renamed, fileCount, size } = zip;
    this.#change(entry, { leftOut, renamed });
    const [refused] = leftOut;
    if (refused && fileCount === 0) throw new FilesError(refused.code, { path: refused.path });
    const fileName = nameFor(fileCount);
    this.#change(entry, { status: "running", fileName, fileCount, size });
    const outcome = await saveArchive(
      { fileName, zip },
      {
        downloads,
        onStrategy: (strategy) => this.#change(entry, { strategy }),
        onProgress: (progress) => this.#progress(entry, changeOf(progress)),
      },
      signal,
    );
    if (outcome !== "singly") return outcome;
    await this.#saveSingly(entry, zip.entries.filter(isFile), signal);
    return "done";
  }

  /** Stops at the first failure that is reported in time. */
  async #saveSingly(entry: Entry, files: ArchiveEntry[], signal: AbortSignal): Promise<void> {
    let later: FilesError | null = null;
    for (const [index, { key, versionId, path, size }] of files.entries()) {
      const fail = (error: unknown) => {
        later ??= asFilesError(error).about(path);
        if (entry.download.status === "done") this.#fail(entry, later);
      };
      await saveFile(this.client, { key, versionId }, fail, signal);
      if (later !== null) throw later;
      this.#progress(entry, { filesDone: index + 1, bytes: entry.download.bytes + size });
    }
  }

  /** Browsers do not tell a page why a request failed; the server can find out more. */
  async #explained(problem: FilesError, { bytes }: Download, signal: AbortSignal): Promise<FilesError> {
    if (problem.code !== "unreachable" && problem.code !== "denied") return problem;
    const diagnosed = await this.client.downloads.diagnose(signal).catch(() => problem);
    const isMoreSpecific =
      diagnosed.code !== "unreachable" && !(diagnosed.code === "cors_blocked" && bytes > 0);
    return isMoreSpecific && diagnosed.code !== problem.code ? diagnosed : problem;
  }

  #progress(entry: Entry, change: Partial<Download>): void {
    const isDue = performance.now() - this.#lastProgress >= PROGRESS_INTERVAL_MS;
    if (isDue) this.#lastProgress = performance.now();
    this.#change(entry, change, isDue);
  }

  #change(entry: Entry, change: Partial<Download>, publish = true): void {
    entry.download = { ...entry.download, ...change };
    if (publish) this.#publish();
  }

  #publish(): void {
    this.#store.setState(this.#entries.map(({ download }) => download));
  }
}

const NEW_DOWNLOAD: Omit<Download, "id"> = {
  fileName: "",
  status: "preparing",
  strategy: "archive",
  fileCount: 0,
  filesDone: 0,
  size: 0,
  bytes: 0,
  isRetrying: false,
  problem: null,
  leftOut: [],
  renamed: 0,
};

const isFile = ({ key }: ArchiveEntry) => key !== "";

function changeOf({ bytes, files, isRetrying }: Readonly<ArchiveProgress>): Partial<Download> {
  return { bytes, filesDone: files, isRetrying };
}
