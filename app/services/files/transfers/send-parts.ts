import { Batches } from "../../../shared/batches";
import type { ChecksumAlgorithm } from "../../../shared/checksums";
import { combineCrcs, crcToBase64 } from "../../../shared/crc";
import type { Semaphore } from "../../../shared/semaphore";
import { bytesOfPart } from "../part-sizes";
import { MAX_SIGNED_PARTS } from "../storage-limits";
import { StorageProblem } from "../storage-problem";
import { withRetries } from "./retry";
import { type PutTarget, type SendCallbacks, type SendTools, sendBlob } from "./send-blob";
import type { FileToSend, SentFile, StoreTraits } from "./send-single";

/** A multipart upload and its progress. */
export interface MultipartUpload {
  /** the signed handle that multipart/create returned */
  handle: string;
  key: string;
  /** bytes */
  size: number;
  /** bytes; the last part may be shorter */
  partSize: number;
  partCount: number;
  /** null if the store ignores checksums; its parts are sent with their MD5 */
  algorithm: ChecksumAlgorithm | null;
  /** the stored parts by number, each with its checksum; null if the store does not support checksums */
  storedParts: Map<number, bigint | null>;
}

/** Maximum attempts to complete an upload whose confirmed parts the store reports missing. */
const MAX_COMPLETIONS = 3;

/** The store no longer has the upload, or cannot use its parts. It must start again. */
export class UploadLostError extends Error {}

/** The chosen file is not the one that the upload was started with. */
export class DifferentFileError extends Error {}

/** Creates a multipart upload. @returns null when the name is taken. @throws a StorageProblem or the signal's reason */
export async function createMultipartUpload(
  toSend: FileToSend,
  traits: StoreTraits,
  { client, timing }: SendTools,
  { onRetry }: SendCallbacks,
  signal: AbortSignal,
): Promise<MultipartUpload | null> {
  const { file, folderPath, name: fileName, contentType, overwrite } = toSend;
  const request = { folderPath, fileName, contentType, size: file.size, ifNoneMatch: !overwrite };
  const create = () => client.call("multipart/create", request, signal);
  try {
    const created = await withRetries(create, timing, onRetry, signal);
    const { upload: handle, key, partSize, partCount, checksum: algorithm, integrity } = created;
    traits.integrity = integrity;
    return { handle, key, size: file.size, partSize, partCount, algorithm, storedParts: new Map() };
  } catch (error) {
    if (serverCodeOf(error) === "name_taken") return null;
    throw error;
  }
}

/**
 * Continues an upload of an earlier visit: finds out which parts are stored, and compares their checksums with the file before anything
 * is sent.
 * @throws UploadLostError, DifferentFileError, a StorageProblem or the signal's reason
 */
export async function resumeUpload(
  upload: MultipartUpload,
  file: Blob,
  tools: SendTools,
  callbacks: SendCallbacks,
  signal: AbortSignal,
): Promise<void> {
  const { storedParts, algorithm } = upload;
  const stored = await listStoredParts(upload, tools, callbacks, signal);
  const numbers = [...stored.keys()].filter((number) => !storedParts.has(number));
  await forEachPart(numbers, tools.partSlots, signal, async (number) => {
    const checksum = algorithm && (await readPart(upload, file, number, tools)).checksum;
    if (checksumText(upload, checksum) !== stored.get(number)) throw new DifferentFileError();
    storedParts.set(number, checksum);
    callbacks.onProgress(storedBytesOf(upload));
  });
}

/**
 * Sends the missing parts and completes the upload. After a failure, the next call continues: `upload` knows the stored parts.
 * @returns null when the name is taken
 * @throws UploadLostError, a StorageProblem or the signal's reason
 */
export async function sendParts(
  upload: MultipartUpload,
  toSend: FileToSend,
  traits: StoreTraits,
  tools: SendTools,
  callbacks: SendCallbacks,
  signal: AbortSignal,
): Promise<SentFile | null> {
  const { client, timing } = tools;
  for (let completions = 1; ; completions++) {
    await sendMissing(upload, toSend.file, traits, tools, callbacks, signal);
    const checksum = wholeChecksum(upload);
    const request = { upload: upload.handle, checksum: checksum?.value, overwrite: toSend.overwrite };
    const complete = () => client.call("multipart/complete", request, signal);
    try {
      await withRetries(complete, timing, callbacks.onRetry, signal);
      return { key: upload.key, checksum };
    } catch (error) {
      const code = serverCodeOf(error);
      if (code === "name_taken") return null;
      if (code !== "upload_incomplete") throw isLost(code) ? new UploadLostError(code) : error;
      const stored = await listStoredParts(upload, tools, callbacks, signal);
      if (completions >= MAX_COMPLETIONS) throw new UploadLostError(code);
      // Send missing and different parts again. If there are none, the store was only slow to see them.
      for (const [number, checksum] of [...upload.storedParts]) {
        if (stored.get(number) !== checksumText(upload, checksum)) upload.storedParts.delete(number);
      }
    }
  }
}

async function sendMissing(
  upload: MultipartUpload,
  file: Blob,
  traits: StoreTraits,
  tools: SendTools,
  callbacks: SendCallbacks,
  signal: AbortSignal,
): Promise<void> {
  const { storedParts, partCount } = upload;
  const sending = new Map<number, number>();
  const report = () => {
    let sent = storedBytesOf(upload);
    for (const bytes of sending.values()) sent += bytes;
    callbacks.onProgress(sent);
  };
  const missing = Array.from({ length: partCount }, (_, index) => index + 1).filter(
    (number) => !storedParts.has(number),
  );
  let signer: ReturnType<typeof createPartSigner> | undefined;
  const send = async (number: number, stop: AbortSignal) => {
    signer ??= createPartSigner(upload.handle, tools, stop);
    const sign = signer;
    const part = await readPart(upload, file, number, tools);
    if (upload.algorithm === null && part.md5 === null) traits.integrity = null;
    const checksum = checksumText(upload, part.checksum) ?? undefined;
    const toSign = { number, checksum, contentMd5: part.md5 ?? undefined };
    const signPart = () => sign(toSign);
    const onProgress = (sent: number) => {
      sending.set(number, sent);
      report();
    };
    const outcome = await sendBlob(part, signPart, tools, { ...callbacks, onProgress }, stop);
    if (outcome !== "done") throw new StorageProblem("failed");
    sending.delete(number);
    storedParts.set(number, part.checksum);
    report();
  };
  await forEachPart(missing, tools.partSlots, signal, send).catch((error: unknown) => {
    const isGone = error instanceof StorageProblem && error.code === "not_found";
    throw isGone || isLost(serverCodeOf(error)) ? new UploadLostError() : error;
  });
}

/** Checksums of the complete stored parts, by number; null if the store keeps none. */
async function listStoredParts(
  upload: MultipartUpload,
  { client, timing }: SendTools,
  { onRetry }: SendCallbacks,
  signal: AbortSignal,
): Promise<Map<number, string | null>> {
  try {
    const list = () => client.call("multipart/list", { upload: upload.handle }, signal);
    const { parts } = await withRetries(list, timing, onRetry, signal);
    const usable = parts.filter(
      ({ number, size, checksum }) =>
        size === bytesOfPart(upload, number) && (upload.algorithm === null || checksum !== undefined),
    );
    return new Map(usable.map(({ number, checksum }) => [number, checksum ?? null]));
  } catch (error) {
    throw isLost(serverCodeOf(error)) ? new UploadLostError() : error;
  }
}

function readPart({ partSize, algorithm }: MultipartUpload, file: Blob, number: number, { read }: SendTools) {
  const start = (number - 1) * partSize;
  return read(file.slice(start, start + partSize), algorithm ?? "MD5");
}

function checksumText({ algorithm }: MultipartUpload, checksum: bigint | null): string | null {
  return algorithm === null || checksum === null ? null : crcToBase64(algorithm, checksum);
}

/** The checksum of the whole file, combined from those of its parts. */
function wholeChecksum(upload: MultipartUpload): SentFile["checksum"] {
  const { algorithm, storedParts, partCount } = upload;
  if (algorithm === null) return null;
  let whole = storedParts.get(1) ?? 0n;
  for (let number = 2; number <= partCount; number++) {
    whole = combineCrcs(algorithm, whole, storedParts.get(number) ?? 0n, bytesOfPart(upload, number));
  }
  return { algorithm, value: crcToBase64(algorithm, whole) };
}

/** bytes */
export function storedBytesOf(upload: MultipartUpload): number {
  const { storedParts, partSize, partCount } = upload;
  const whole = storedParts.size * partSize;
  return storedParts.has(partCount) ? whole - partSize + bytesOfPart(upload, partCount) : whole;
}

function serverCodeOf(error: unknown): string | undefined {
  return error instanceof StorageProblem ? error.details.serverCode : undefined;
}

/**
 * Error codes that mean: start again. `upload_conflict` and `checksum_mismatch`: the store cannot assemble these parts. `invalid_request`:
 * the handle was signed with a secret that has been rotated out.
 */
const LOST_CODES = new Set(["upload_not_found", "upload_conflict", "checksum_mismatch", "invalid_request"]);

function isLost(code: string | undefined): boolean {
  return code !== undefined && LOST_CODES.has(code);
}

/**
 * Works on parts concurrently, as many as fit into memory. The first failure stops the others; it is thrown when all have ended. Rejects
 * with the signal's reason.
 * @param work on one part; `stop` ends all work
 */
async function forEachPart(
  numbers: Iterable<number>,
  partSlots: Semaphore,
  signal: AbortSignal,
  work: (number: number, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const running = new Set<Promise<void>>();
  try {
    signal.throwIfAborted();
    for (const number of numbers) {
      const release = await partSlots.acquire(stop);
      const task = work(number, stop)
        .catch((error: unknown) => failure.abort(error))
        .finally(() => {
          release();
          running.delete(task);
        });
      running.add(task);
    }
  } catch (error) {
    failure.abort(error);
  } finally {
    await Promise.all(running);
  }
  stop.throwIfAborted();
}

interface PartToSign {
  number: number;
  /** base64 */
  checksum: string | undefined;
  /** base64 */
  contentMd5: string | undefined;
}

/** Signs the parts of one upload. Parts that are requested while a request is running share the next one. */
function createPartSigner(handle: string, { client, timing }: SendTools, signal: AbortSignal) {
  const batches = new Batches(async (parts: PartToSign[]) => {
    const signed = await client.call("multipart/sign", { upload: handle, parts }, signal);
    const usableUntil = timing.now() + (signed.expiresAt - signed.serverTime) * 1000;
    return signed.parts.map((target) => ({ ...target, usableUntil }));
  }, MAX_SIGNED_PARTS);
  return async (part: PartToSign): Promise<PutTarget> => {
    const target: (PutTarget & { number: number }) | undefined = await batches.add(part);
    if (target?.number !== part.number) throw new StorageProblem("failed");
    return target;
  };
}
