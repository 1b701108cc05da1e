import { contentKey, versionOf } from "../../place/content-of";
import type { StorageClient } from "../../place/contract/storage-client";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { pauseWhileChecked } from "./when-checked";

/** What the malware scanner says about a file; `unknown`: it cannot be found out now. */
export type FileCheck = "readable" | "being_checked" | "blocked" | "unknown";

/** Files that appear within this time are asked about together. Files that only scroll past are not asked about. */
const BATCH_DELAY_MS = 100;
const MAX_FILES = 100;
/** How long a result is shown again without a new question. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 2_000;

interface VisibleFile {
  file: FileEntry;
  show(check: FileCheck): void;
  abort: AbortController;
  /** how many times the server has been asked */
  asked: number;
}

/**
 * What the malware scanner says about visible files, where the token requires a tag. It asks again about files that are being checked,
 * less and less often, while they and the page are visible.
 */
export class FileChecks {
  readonly #client: StorageClient;
  readonly #waiting = new Set<VisibleFile>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** by `versionOf`, oldest first; `at`: by `performance.now()` */
  readonly #known = new Map<string, { check: FileCheck; at: number }>();

  constructor(client: StorageClient) {
    this.#client = client;
  }

  /** @returns a function to call when the row or tile is no longer visible */
  want(file: FileEntry, show: (check: FileCheck) => void): () => void {
    const wanted = { file, show, abort: new AbortController(), asked: 0 };
    const known = this.#known.get(versionOf(file));
    const isRecent = known !== undefined && performance.now() - known.at < REMEMBERED_MS;
    if (isRecent) show(known.check);
    if (!isRecent || known.check === "being_checked") this.#ask(wanted);
    return () => {
      this.#waiting.delete(wanted);
      wanted.abort.abort();
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { abort } of this.#waiting) abort.abort();
    this.#waiting.clear();
  }

  #ask(wanted: VisibleFile): void {
    this.#waiting.add(wanted);
    this.#timer ??= setTimeout(() => this.#sendBatch(), BATCH_DELAY_MS);
  }

  async #askAgain(wanted: VisibleFile): Promise<void> {
    try {
      if (await pauseWhileChecked(wanted.asked, wanted.abort.signal)) this.#ask(wanted);
    } catch {
      // The row is no longer visible.
    }
  }

  /** One request at a time. */
  async #sendBatch(): Promise<void> {
    const batch = [...this.#waiting].slice(0, MAX_FILES);
    for (const wanted of batch) this.#waiting.delete(wanted);
    if (batch.length > 0) await this.#askAbout(batch);
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#sendBatch(), BATCH_DELAY_MS) : undefined;
  }

  async #askAbout(batch: readonly VisibleFile[]): Promise<void> {
    const keys = batch.map(({ file }) => contentKey(file));
    const response = await this.#client.call("presign-downloads", { keys, check: true }).catch(() => null);
    for (const [index, wanted] of batch.entries()) {
      wanted.asked += 1;
      const found = response?.downloads[index];
      const check = found === undefined ? "unknown" : checkOf("error" in found ? found.error : undefined);
      this.#remember(wanted.file, check);
      if (wanted.abort.signal.aborted) continue;
      wanted.show(check);
      // Without a response, perhaps the network or the server was not there.
      if (check === "being_checked" || response === null) void this.#askAgain(wanted);
    }
  }

  #remember(file: FileEntry, check: FileCheck): void {
    const version = versionOf(file);
    this.#known.delete(version);
    if (check === "unknown") return;
    this.#known.set(version, { check, at: performance.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }
}

function checkOf(error: string | undefined): FileCheck {
  if (error === undefined) return "readable";
  return error === "being_checked" || error === "blocked" ? error : "unknown";
}
