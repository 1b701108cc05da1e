import type { FileEntry } from "../../place/contract/storage-contract.server";
import { pauseWhileChecked } from "../checks/when-checked";

/** Files that appear within this time are asked about together. Files that only scroll past are not asked about. */
const BATCH_DELAY_MS = 100;
const MAX_FILES = 100;

/** A file, or a folder, whose row or tile is visible. */
export interface VisibleFile<Shown, Entry = FileEntry> {
  file: Entry;
  show(shown: Shown): void;
  /** aborted when the row or tile is no longer visible */
  abort: AbortController;
  /** how many times the server has been asked about it */
  asked: number;
}

/** Asks the server about visible files: about those that appear together in one request, and in one request at a time. */
export class VisibleFiles<Shown, Entry = FileEntry> {
  readonly #waiting = new Set<VisibleFile<Shown, Entry>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param askAbout asks about at most 100 files; it must not reject */
  constructor(private readonly askAbout: (files: readonly VisibleFile<Shown, Entry>[]) => Promise<void>) {}

  /** @returns a function to call when the row or tile is no longer visible */
  add(file: Entry, show: (shown: Shown) => void): () => void {
    const visible = { file, show, abort: new AbortController(), asked: 0 };
    this.ask(visible);
    return () => {
      this.#waiting.delete(visible);
      visible.abort.abort();
    };
  }

  /** Asks again about a file that is being checked for malware: later, and as long as it is visible. */
  async askAgain(visible: VisibleFile<Shown, Entry>): Promise<void> {
    try {
      if (await pauseWhileChecked(visible.asked, visible.abort.signal)) this.ask(visible);
    } catch {
      // It is no longer visible.
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { abort } of this.#waiting) abort.abort();
    this.#waiting.clear();
  }

  /** Asks about it with the next request. */
  ask(visible: VisibleFile<Shown, Entry>): void {
    this.#waiting.add(visible);
    this.#timer ??= setTimeout(() => this.#askTogether(), BATCH_DELAY_MS);
  }

  async #askTogether(): Promise<void> {
    const files = [...this.#waiting].slice(0, MAX_FILES);
    for (const visible of files) {
      this.#waiting.delete(visible);
      visible.asked += 1;
    }
    if (files.length > 0) await this.askAbout(files);
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#askTogether(), BATCH_DELAY_MS) : undefined;
  }
}
