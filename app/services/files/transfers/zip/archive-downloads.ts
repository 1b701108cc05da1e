import type { StorageClient } from "../../storage-client";
import { asProblem, StorageProblem } from "../../storage-problem";
import { saveFile } from "../save-file";
import type { ArchiveProgress } from "./archive-bytes";
import type { ArchiveEntry } from "./archive-entry";
import { type Chosen, listTree } from "./list-tree";
import { saveArchive } from "./save-archive";
import { type SigningClient, signDownloads } from "./sign-downloads";

/** The screen is told of progress at most this often, milliseconds. */
const PROGRESS_INTERVAL = 100;

/** `preparing`: what is to be in the archive is being listed. */
export type DownloadStatus = "preparing" | "running" | "done" | "failed";

/** Several files, or folders, on their way to the person's device. */
export interface Download {
  id: number;
  /** of the archive, with its `.zip`; empty while it is not known */
  fileName: string;
  status: DownloadStatus;
  /** `archive`: one zip that streams; `memory`: one that is saved when it is complete; `singly`: the files one by one */
  way: "archive" | "memory" | "singly";
  /** that there are; while preparing, that have been found so far */
  fileCount: number;
  /** that are complete, or, one by one, handed to the browser */
  filesDone: number;
  /** bytes of the files, in all and so far */
  size: number;
  bytes: number;
  /** the connection has broken, and is being tried again */
  interrupted: boolean;
  problem: StorageProblem | null;
}

export interface DownloadEvents {
  onDone(download: Download): void;
}

export type DownloadClient = SigningClient & Pick<StorageClient, "list" | "presignDownload" | "diagnose">;

/** What is to be downloaded, and how its archive is named once its number of files is known. */
export interface Wanted extends Chosen {
  fileName(files: number): string;
}

interface Entry {
  download: Download;
  wanted: Wanted;
  abort: AbortController;
}

/** Downloads of several files: a small store for `useSyncExternalStore`. */
export class ArchiveDownloads {
  #entries: Entry[] = [];
  #snapshot: Download[] = [];
  #listeners = new Set<() => void>();
  #nextId = 1;
  #lastProgress = 0;

  /** @param events those of the moment: what is on the screen changes */
  constructor(
    readonly client: DownloadClient,
    readonly events: () => DownloadEvents,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getDownloads = (): Download[] => this.#snapshot;

  start(wanted: Wanted): void {
    const entry = { download: { ...NEW, id: this.#nextId++ }, wanted, abort: new AbortController() };
    this.#entries = [...this.#entries.filter(({ download }) => download.status !== "done"), entry];
    void this.#run(entry);
  }

  /** Begins anew, with what is in the folders now. */
  retry(id: number): void {
    const entry = this.#entries.find(({ download }) => download.id === id);
    if (entry?.download.status !== "failed") return;
    entry.download = { ...NEW, id };
    entry.abort = new AbortController();
    void this.#run(entry);
  }

  /** Stops what is running, and removes it from the list. */
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
      // Stopped in the browser's own list of downloads, where it is said.
      if (outcome === "stopped") return this.remove(entry.download.id);
      this.#change(entry, { status: "done", interrupted: false });
      this.events().onDone(entry.download);
    } catch (error) {
      if (signal.aborted) return;
      const problem = await this.#explained(asProblem(error), entry.download, signal);
      if (signal.aborted) return;
      this.#fail(entry, problem);
    }
  }

  #fail(entry: Entry, problem: StorageProblem): void {
    this.#change(entry, { status: "failed", interrupted: false, problem });
  }

  async #download(entry: Entry, signal: AbortSignal): Promise<"done" | "stopped"> {
    const { client } = this;
    const entries = await listTree(
      entry.wanted,
      {
        list: (folderPath, cursor, signal) => client.list(folderPath, cursor, signal),
        onFound: (fileCount) => this.#progress(entry, { fileCount }),
      },
      signal,
    );
    const fileCount = entries.filter(isFile).length;
    const size = entries.reduce((sum, entry) => sum + entry.size, 0);
    const fileName = entry.wanted.fileName(fileCount);
    this.#change(entry, { status: "running", fileName, fileCount, size });
    const outcome = await saveArchive(
      { fileName, entries },
      {
        client,
        sign: signDownloads(client, entries),
        onWay: (way) => this.#change(entry, { way }),
        onProgress: (progress) => this.#progress(entry, changeOf(progress)),
      },
      signal,
    );
    if (outcome !== "singly") return outcome;
    await this.#saveSingly(entry, entries.filter(isFile), signal);
    return "done";
  }

  /** The first that fails is the last, if it is known in time. */
  async #saveSingly(entry: Entry, files: ArchiveEntry[], signal: AbortSignal): Promise<void> {
    let later: StorageProblem | null = null;
    for (const [index, { key, path, size }] of files.entries()) {
      const fail = (error: unknown) => {
        const { code, details } = asProblem(error);
        later ??= new StorageProblem(code, { path, ...details });
        if (entry.download.status === "done") this.#fail(entry, later);
      };
      await saveFile(this.client, key, fail, signal);
      if (later !== null) throw later;
      this.#progress(entry, { filesDone: index + 1, bytes: entry.download.bytes + size });
    }
  }

  /** A browser tells a page nothing of why the store could not be reached; the server can look. */
  async #explained(
    problem: StorageProblem,
    { bytes }: Download,
    signal: AbortSignal,
  ): Promise<StorageProblem> {
    if (problem.code !== "unreachable" && problem.code !== "denied") return problem;
    const known = await this.client.diagnose("download", signal).catch(() => problem);
    const says = known.code !== "unreachable" && !(known.code === "cors_blocked" && bytes > 0);
    return says && known.code !== problem.code ? known : problem;
  }

  #progress(entry: Entry, change: Partial<Download>): void {
    const isDue = performance.now() - this.#lastProgress >= PROGRESS_INTERVAL;
    if (isDue) this.#lastProgress = performance.now();
    this.#change(entry, change, isDue);
  }

  #change(entry: Entry, change: Partial<Download>, publish = true): void {
    entry.download = { ...entry.download, ...change };
    if (publish) this.#publish();
  }

  #publish(): void {
    this.#snapshot = this.#entries.map(({ download }) => download);
    for (const listener of this.#listeners) listener();
  }
}

const NEW: Omit<Download, "id"> = {
  fileName: "",
  status: "preparing",
  way: "archive",
  fileCount: 0,
  filesDone: 0,
  size: 0,
  bytes: 0,
  interrupted: false,
  problem: null,
};

const isFile = ({ key }: ArchiveEntry) => key !== "";

function changeOf({ bytes, files, interrupted }: Readonly<ArchiveProgress>): Partial<Download> {
  return { bytes, filesDone: files, interrupted };
}
