import type { ChecksumAlgorithm } from "../../../shared/checksums";
import { crcToBase64 } from "../../../shared/crc";
import { StorageProblem } from "../storage-problem";
import type { ReadBlob } from "./read-blob";
import { withRetries } from "./retry";
import { type PutTarget, type SendEvents, type SendTools, sendBlob, type UploadClient } from "./send-blob";

/** What the store supports. Learned from its first refusals and shared by all uploads. */
export interface StoreTraits {
  /** `If-None-Match`; without it, the folder is listed before sending */
  conditional: boolean;
  /** checksum headers; without them, damage in transit goes unnoticed */
  checksums: boolean;
}

export interface FileToSend {
  file: Blob;
  folderPath: string;
  name: string;
  contentType: string;
  overwrite: boolean;
  /** an earlier attempt may have stored it, with its response lost */
  mayBeThere: boolean;
}

/** A stored file. */
export interface SentFile {
  key: string;
  /** base64; null if the store does not support checksums */
  checksum: { algorithm: ChecksumAlgorithm; value: string } | null;
}

/** Supported by every store that supports checksums of single PUTs. */
const ALGORITHM = "CRC32";
/** How long comparing a file with the stored object may take. */
const COMPARE_TIMEOUT_MS = 60_000;

/**
 * Sends a file in one request.
 * @returns null when the name is taken
 * Rejects with a StorageProblem, or with the signal's reason when it is cancelled.
 */
export async function sendSingle(
  toSend: FileToSend,
  traits: StoreTraits,
  tools: SendTools,
  events: SendEvents,
  signal: AbortSignal,
): Promise<SentFile | null> {
  const leave = await tools.partSlots.enter(signal);
  try {
    const part = await tools.read(toSend.file, ALGORITHM);
    for (;;) {
      const { conditional, checksums } = traits;
      const ifNoneMatch = !toSend.overwrite && conditional;
      const looksFirst = !toSend.overwrite && !conditional;
      if (looksFirst && (await isThere(toSend, tools, events, signal))) return null;
      const checksum = checksums ? checksumOf(part) : null;
      let key = "";
      const sign = async (): Promise<PutTarget> => {
        const target = await presign(toSend, ifNoneMatch, checksum, tools, signal);
        key = target.key;
        return target;
      };
      let mayBeThere = toSend.mayBeThere;
      const onRetry: SendEvents["onRetry"] = (problem) => {
        mayBeThere = true;
        events.onRetry(problem);
      };
      const outcome = await sendBlob(part, sign, tools, { ...events, onRetry }, signal);
      if (outcome === "done") return { key, checksum };
      if (outcome === "exists")
        return mayBeThere && (await isSame(part, key, tools, signal)) ? { key, checksum } : null;
      // Give up the less common feature first.
      if (ifNoneMatch) traits.conditional = false;
      else if (checksums) traits.checksums = false;
      else throw new StorageProblem("failed");
    }
  } finally {
    leave();
  }
}

function checksumOf({ checksum }: ReadBlob): SentFile["checksum"] {
  return checksum === null ? null : { algorithm: ALGORITHM, value: crcToBase64(ALGORITHM, checksum) };
}

async function presign(
  { file, folderPath, name, contentType }: FileToSend,
  ifNoneMatch: boolean,
  checksum: SentFile["checksum"],
  { client, timing }: SendTools,
  signal: AbortSignal,
): Promise<PutTarget & { key: string }> {
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
    const page: Awaited<ReturnType<UploadClient["list"]>> = await withRetries(
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

/** Whether the stored object is the file that was sent: the response to an earlier attempt may have been lost. */
async function isSame(
  part: ReadBlob,
  key: string,
  { client, read }: SendTools,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { url } = await client.presignDownload(key, "attachment", signal);
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(COMPARE_TIMEOUT_MS)]),
    });
    const stored = response.ok ? await read(await response.blob(), ALGORITHM) : null;
    return stored !== null && stored.checksum === part.checksum;
  } catch (error) {
    if (signal.aborted) throw error;
    // Unknown: the person is asked.
    return false;
  }
}
