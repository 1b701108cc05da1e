/*
 * Makes the bytes of an archive. It is also the package's entry point `client/archive`, for a place without a client, such as a service worker:
 * it takes the `entries` of a `Zip` and its `sign`. It is apart from `client`, because bundlers put all that an entry point exports into the
 * first file of a page.
 */
import { asFilesError } from "../../errors.js";
import { retryTimingOf } from "../../retry.js";
import type { ArchiveEntry } from "./list-tree.js";
import { ReadAhead } from "./read-ahead.js";
import type { ReadTools } from "./read-object.js";
import { SignedUrls, type SignKeys } from "./signed-urls.js";
import { zipBytes } from "./zip-bytes.js";

export { zipLength } from "./zip-bytes.js";

/** Progress of an archive. */
export interface ArchiveProgress {
  /** bytes of the files, without the archive's own records */
  bytes: number;
  /** complete files; folders do not count */
  files: number;
  /** the connection broke and is being retried */
  isRetrying: boolean;
}

export interface ArchiveTools
  extends Pick<ReadTools, "world" | "stallTimeoutMs" | "reuseBuffer">,
    Partial<Pick<ReadTools, "timing">> {
  sign: SignKeys;
  /** Called often, always with the same object. */
  onProgress?: ((progress: Readonly<ArchiveProgress>) => void) | undefined;
}

/**
 * Yields a zip archive of stored files, exactly `zipLength` bytes. The files are fetched in their order, as the bytes are consumed, and a few small
 * ones ahead.
 * @throws a FilesError or the signal's reason; what was yielded before is then no complete archive
 */
export async function* archiveBytes(
  entries: readonly ArchiveEntry[],
  { sign, onProgress, timing, ...tools }: ArchiveTools,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const urls = new SignedUrls(entries, sign, tools.world.clock);
  const progress: ArchiveProgress = { bytes: 0, files: 0, isRetrying: false };
  const report = (change: Partial<ArchiveProgress>) => onProgress?.(Object.assign(progress, change));
  const isEmptyFile = ({ key, size }: ArchiveEntry) => key !== "" && size === 0;
  progress.files = entries.filter(isEmptyFile).length;
  const readTools: Omit<ReadTools, "urlOf"> = {
    ...tools,
    timing: timing ?? retryTimingOf(tools.world),
    onRetrying: (isRetrying) => report({ isRetrying }),
  };
  const toolsFor = (index: number): ReadTools => ({
    ...readTools,
    urlOf: (renew, signal) => urls.urlOf(index, renew, signal),
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
