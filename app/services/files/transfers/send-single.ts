import type { ChecksumAlgorithm } from "../../../shared/checksums";
import { crcToBase64 } from "../../../shared/crc";
import { objectKey } from "../folder-path";
import type { Listing } from "../storage-contract.server";
import { StorageProblem } from "../storage-problem";
import type { Integrity } from "../uploads/uploads-contract.server";
import type { ReadBlob } from "./read-blob";
import { withRetries } from "./retry";
import { type PutTarget, type SendCallbacks, type SendTools, sendBlob } from "./send-blob";

/**
 * What the store supports, shared by all uploads. The functions that send write to it what they learn: `conditional` and `checksums` from
 * the store's refusals, `integrity` from the server. A store may take checksums and compare nothing.
 */
export interface StoreTraits {
  /** `If-None-Match`; without it, the folder is listed before sending */
  conditional: boolean;
  /** checksum headers are not refused */
  checksums: boolean;
  /** what the store compares bytes with; null if damage on the way goes unnoticed */
  integrity: Integrity;
}

export interface FileToSend {
  file: Blob;
  folderPath: string;
  name: string;
  contentType: string;
  overwrite: boolean;
  /** an earlier attempt may have stored it, with its response lost */
  mayBeStored: boolean;
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
 * @throws a StorageProblem, or the signal's reason when it is cancelled
 */
export async function sendSingle(
  toSend: FileToSend,
  traits: StoreTraits,
  tools: SendTools,
  callbacks: SendCallbacks,
  signal: AbortSignal,
): Promise<SentFile | null> {
  const release = await tools.partSlots.acquire(signal);
  try {
    const part = await tools.read(toSend.file, ALGORITHM);
    for (;;) {
      const { conditional, checksums } = traits;
      const ifNoneMatch = !toSend.overwrite && conditional;
      const looksFirst = !toSend.overwrite && !conditional;
      if (looksFirst && (await isThere(toSend, tools, callbacks, signal))) return null;
      const checksum = checksums ? checksumOf(part) : null;
      const key = objectKey(toSend.folderPath, toSend.name);
      const sign = () => presign(toSend, part, { ifNoneMatch, checksum }, traits, tools, signal);
      let mayBeStored = toSend.mayBeStored;
      const onRetry: SendCallbacks["onRetry"] = (problem) => {
        mayBeStored = true;
        callbacks.onRetry(problem);
      };
      const outcome = await sendBlob(part, sign, tools, { ...callbacks, onRetry }, signal).catch(
        existsOrThrow,
      );
      if (outcome === "done") return { key, checksum };
      if (outcome === "exists")
        return mayBeStored && (await isSame(part, key, tools, signal)) ? { key, checksum } : null;
      // Try without If-None-Match first, then without checksums.
      if (ifNoneMatch) traits.conditional = false;
      else if (checksums) traits.checksums = false;
      else throw new StorageProblem("failed");
    }
  } finally {
    release();
  }
}

function checksumOf({ checksum }: ReadBlob): SentFile["checksum"] {
  return checksum === null ? null : { algorithm: ALGORITHM, value: crcToBase64(ALGORITHM, checksum) };
}

/** If the store may ignore `If-None-Match`, the server checks first and responds `name_taken`. */
function existsOrThrow(error: unknown): "exists" {
  if (error instanceof StorageProblem && error.details.serverCode === "name_taken") return "exists";
  throw error;
}

/** Signs the upload with the file's MD5 if the store compares nothing else. The server's response says so. */
async function presign(
  { file, folderPath, name: fileName, contentType }: FileToSend,
  part: ReadBlob,
  { ifNoneMatch, checksum }: { ifNoneMatch: boolean; checksum: SentFile["checksum"] },
  traits: StoreTraits,
  { client, timing, read }: SendTools,
  signal: AbortSignal,
): Promise<PutTarget> {
  const options = { ifNoneMatch, checksum: checksum ?? undefined };
  const request = { folderPath, fileName, contentType, size: file.size, ...options };
  const sign = (contentMd5: string | null) =>
    client.call("presign-upload", { ...request, contentMd5: contentMd5 ?? undefined }, signal);
  const computeMd5 = async () => (await read(part.body, "MD5")).md5;
  const known = traits.integrity === "contentMd5" ? await computeMd5() : null;
  let signed = await sign(known);
  traits.integrity = signed.integrity;
  if (signed.integrity === "contentMd5" && known === null) {
    const contentMd5 = await computeMd5();
    if (contentMd5 === null) traits.integrity = null;
    else signed = await sign(contentMd5);
  }
  return { ...signed, usableUntil: timing.now() + client.secondsUntil(signed.expiresAt) * 1000 };
}

async function isThere(
  { folderPath, name }: FileToSend,
  { client, timing }: SendTools,
  { onRetry }: SendCallbacks,
  signal: AbortSignal,
): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page: Listing = await withRetries(
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
    const { url } = await client.call("presign-download", { key, disposition: "attachment" }, signal);
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
