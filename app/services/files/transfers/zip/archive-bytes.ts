import { asProblem } from "../../storage-problem";
import type { ArchiveEntry } from "./archive-entry";
import { type ReadTools, readObject } from "./read-object";
import { SignedUrls, type SignKeys } from "./signed-urls";
import { zipBytes } from "./zip-bytes";

/** How far an archive has come. */
export interface ArchiveProgress {
  /** of the files, without the archive's own records */
  bytes: number;
  /** that are complete; folders are none */
  files: number;
  /** the connection has broken, and is being tried again */
  interrupted: boolean;
}

export interface ArchiveTools extends Pick<ReadTools, "fetch" | "timing" | "stallLimit" | "reuseBuffer"> {
  sign: SignKeys;
  /** Called often, with the same object every time. */
  onProgress?(progress: Readonly<ArchiveProgress>): void;
}

/**
 * The bytes of the zip archive of stored files, as many as `zipLength` says, fetched one file at a time as they are asked for.
 * Rejects with a StorageProblem or the signal's reason: what has come until then is not a complete archive.
 */
export async function* archiveBytes(
  entries: readonly ArchiveEntry[],
  { sign, onProgress, ...tools }: ArchiveTools,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const urls = new SignedUrls(entries, sign);
  const progress: ArchiveProgress = { bytes: 0, files: 0, interrupted: false };
  const report = (change: Partial<ArchiveProgress>) => onProgress?.(Object.assign(progress, change));
  const isEmptyFile = ({ key, size }: ArchiveEntry) => key !== "" && size === 0;
  progress.files = entries.filter(isEmptyFile).length;
  async function* read(index: number): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = entries[index] as ArchiveEntry;
    const urlOf = (renew: boolean, signal: AbortSignal) => urls.urlOf(index, renew, signal);
    const onInterrupted = (interrupted: boolean) => report({ interrupted });
    for await (const chunk of readObject(entry, { ...tools, urlOf, onInterrupted }, signal)) {
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
