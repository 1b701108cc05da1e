import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { StorageProblem } from "../storage-problem";
import { toBase64 } from "./checksum";
import type { ReadPart } from "./read-part";
import { persist } from "./retry";
import {
  type SendEvents,
  type SendTools,
  type SliceTarget,
  sendSlice,
  type UploadClient,
} from "./send-slice";

/** What the store has shown that it cannot do; shared by all uploads, and learned once. */
export interface StoreTraits {
  /** it knows `If-None-Match`; else we look before we send */
  conditional: boolean;
  /** it takes checksums; else nothing tells whether bytes were damaged on the way */
  checksums: boolean;
}

export interface FileToSend {
  file: Blob;
  folderPath: string;
  name: string;
  contentType: string;
  overwrite: boolean;
  /** it was being sent before, and may have arrived without our hearing of it */
  mayBeThere: boolean;
}

/** A file that has arrived. */
export interface SentFile {
  key: string;
  /** base64; null where the store takes none */
  checksum: { algorithm: ChecksumAlgorithm; value: string } | null;
}

/** Every store that takes checksums of one PUT takes this one. */
const ALGORITHM = "CRC32";
/** How long the comparison of a file with what is there may take, milliseconds. */
const COMPARE_LIMIT = 60_000;

/**
 * Sends a file in one request.
 * @returns null when its name is taken
 * Rejects with a StorageProblem, or with the signal's reason when it is cancelled.
 */
export async function sendWhole(
  what: FileToSend,
  traits: StoreTraits,
  tools: SendTools,
  events: SendEvents,
  signal: AbortSignal,
): Promise<SentFile | null> {
  const leave = await tools.memory.enter(signal);
  try {
    const part = await tools.read(what.file, ALGORITHM);
    for (;;) {
      const { conditional, checksums } = traits;
      const ifNoneMatch = !what.overwrite && conditional;
      const looksFirst = !what.overwrite && !conditional;
      if (looksFirst && (await isThere(what, tools, events, signal))) return null;
      const checksum = checksums ? checksumOf(part) : null;
      let key = "";
      const sign = async (): Promise<SliceTarget> => {
        const target = await presign(what, ifNoneMatch, checksum, tools, signal);
        key = target.key;
        return target;
      };
      let mayBeThere = what.mayBeThere;
      const onRetry: SendEvents["onRetry"] = (problem) => {
        mayBeThere = true;
        events.onRetry(problem);
      };
      const outcome = await sendSlice(part, sign, tools, { ...events, onRetry }, signal);
      if (outcome === "done") return { key, checksum };
      if (outcome === "exists")
        return mayBeThere && (await isSame(part, key, tools, signal)) ? { key, checksum } : null;
      // The less usual of the two is given up first.
      if (ifNoneMatch) traits.conditional = false;
      else if (checksums) traits.checksums = false;
      else throw new StorageProblem("failed");
    }
  } finally {
    leave();
  }
}

function checksumOf({ checksum }: ReadPart): SentFile["checksum"] {
  return checksum === null ? null : { algorithm: ALGORITHM, value: toBase64(ALGORITHM, checksum) };
}

async function presign(
  { file, folderPath, name, contentType }: FileToSend,
  ifNoneMatch: boolean,
  checksum: SentFile["checksum"],
  { client, timing }: SendTools,
  signal: AbortSignal,
): Promise<SliceTarget & { key: string }> {
  const target = await client.presignUpload(
    { folderPath, fileName: name, contentType, size: file.size, ifNoneMatch, checksum },
    signal,
  );
  return { ...target, usableUntil: timing.now() + client.secondsUntil(target.expiresAt) * 1000 };
}

async function isThere(
  { folderPath, name }: FileToSend,
  { client, timing }: SendTools,
  { onRetry }: SendEvents,
  signal: AbortSignal,
): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<UploadClient["list"]>> = await persist(
      () => client.list(folderPath, cursor, signal),
      timing,
      onRetry,
      signal,
    );
    if (page.files.some((file) => file.name === name)) return true;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return false;
}

/** Whether what is there under the name is what we sent: the store may have stored it, and its response was lost. */
async function isSame(
  part: ReadPart,
  key: string,
  { client, read }: SendTools,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { url } = await client.presignDownload(key, "attachment", signal);
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(COMPARE_LIMIT)]),
    });
    const stored = response.ok ? await read(await response.blob(), ALGORITHM) : null;
    return stored !== null && stored.checksum === part.checksum;
  } catch (error) {
    if (signal.aborted) throw error;
    // Nothing says so: then a person is asked.
    return false;
  }
}
