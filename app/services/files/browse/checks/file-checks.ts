import type { FilesClient } from "platform-embed-element/client";
import { versionOf } from "../../place/content-of";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { type VisibleFile, VisibleFiles } from "../grid/visible-files";

/** What the malware scanner says about a file; `unknown`: it cannot be found out now. */
export type FileCheck = "readable" | "being_checked" | "blocked" | "unknown";

/** How long a result is shown again without a new question. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 2_000;

/**
 * What the malware scanner says about visible files, where the token requires a tag. It asks again about files that are being checked,
 * less and less often, while they and the page are visible.
 */
export class FileChecks {
  readonly #visible = new VisibleFiles<FileCheck>((files) => this.#askAbout(files));
  /** by `versionOf`, oldest first; `at`: by `performance.now()` */
  readonly #known = new Map<string, { check: FileCheck; at: number }>();

  constructor(private readonly client: FilesClient) {}

  /** @returns a function to call when the row or tile is no longer visible */
  want(file: FileEntry, show: (check: FileCheck) => void): () => void {
    const known = this.#known.get(versionOf(file));
    const isRecent = known !== undefined && performance.now() - known.at < REMEMBERED_MS;
    if (isRecent) show(known.check);
    return isRecent && known.check !== "being_checked" ? () => {} : this.#visible.add(file, show);
  }

  close(): void {
    this.#visible.close();
  }

  async #askAbout(files: readonly VisibleFile<FileCheck>[]): Promise<void> {
    const asked = files.map(({ file }) => file);
    const response = await this.client.downloads.urls(asked, { check: true }).catch(() => null);
    for (const [index, visible] of files.entries()) {
      const found = response?.downloads[index];
      const check = found === undefined ? "unknown" : checkOf(found.error);
      this.#remember(visible.file, check);
      if (visible.abort.signal.aborted) continue;
      visible.show(check);
      // Without a response, perhaps the network or the server was not there.
      if (check === "being_checked" || response === null) void this.#visible.askAgain(visible);
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
