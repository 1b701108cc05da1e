import { asFilesError } from "platform-embed-element/client";
import type { ArchiveEntry } from "./list-tree";
import { ReadAhead } from "./read-ahead";
import type { ReadTools } from "./read-object";
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
 * Yields a zip archive of stored files, exactly `zipLength` bytes. The files are fetched in their order, as the bytes are consumed, and a few small
 * ones ahead.
 * @throws a FilesError or the signal's reason; what was yielded before is then no complete archive
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
  const onRetrying = (isRetrying: boolean) => report({ isRetrying });
  const toolsFor = (index: number): ReadTools => ({
    ...tools,
    urlOf: (renew, signal) => urls.urlOf(index, renew, signal),
    onRetrying,
  });
  const files = new ReadAhead(entries, toolsFor, signal);
  async function* read(index: number): AsyncGenerator<Uint8Array, void, undefined> {
    const { text } = entries[index] as ArchiveEntry;
    if (text !== undefined) {
      yield new TextEncoder().encode(text);
      return;
    }
    for await (const chunk of files.next()) {
      report({ bytes: progress.bytes + chunk.length });
      yield chunk;
    }
    report({ files: progress.files + 1 });
  }
  try {
    yield* zipBytes(entries, read);
  } catch (error) {
    signal.throwIfAborted();
    throw asFilesError(error);
  } finally {
    files.close();
  }
}
