import { asProblem } from "../../storage-problem";
import type { ArchiveEntry } from "./list-tree";
import { type ReadTools, readObject } from "./read-object";
import { SignedUrls, type SignKeys } from "./signed-urls";
import { zipBytes } from "./zip-bytes";

/** Progress of an archive. */
export interface ArchiveProgress {
  /** bytes of the files, without the archive's own records */
  bytes: number;
  /** complete files; folders do not count */
  files: number;
  /** the connection broke and is being retried */
  isRetrying: boolean;
}

export interface ArchiveTools extends Pick<ReadTools, "fetch" | "timing" | "stallTimeoutMs" | "reuseBuffer"> {
  sign: SignKeys;
  /** Called often, always with the same object. */
  onProgress?(progress: Readonly<ArchiveProgress>): void;
}

/**
 * Yields a zip archive of stored files, exactly `zipLength` bytes. The files are fetched one at a time, as the bytes are consumed.
 * @throws a StorageProblem or the signal's reason; what was yielded before is then no complete archive
 */
export async function* archiveBytes(
  entries: readonly ArchiveEntry[],
  { sign, onProgress, ...tools }: ArchiveTools,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const urls = new SignedUrls(entries, sign);
  const progress: ArchiveProgress = { bytes: 0, files: 0, isRetrying: false };
  const report = (change: Partial<ArchiveProgress>) => onProgress?.(Object.assign(progress, change));
  const isEmptyFile = ({ key, size }: ArchiveEntry) => key !== "" && size === 0;
  progress.files = entries.filter(isEmptyFile).length;
  async function* read(index: number): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = entries[index] as ArchiveEntry;
    if (entry.text !== undefined) {
      yield new TextEncoder().encode(entry.text);
      return;
    }
    const urlOf = (renew: boolean, signal: AbortSignal) => urls.urlOf(index, renew, signal);
    const onRetrying = (isRetrying: boolean) => report({ isRetrying });
    for await (const chunk of readObject(entry, { ...tools, urlOf, onRetrying }, signal)) {
      report({ bytes: progress.bytes + chunk.length });
      yield chunk;
    }
    report({ files: progress.files + 1 });
  }
  try {
    yield* zipBytes(entries, read);
  } catch (error) {
    signal.throwIfAborted();
    throw asProblem(error);
  }
}
