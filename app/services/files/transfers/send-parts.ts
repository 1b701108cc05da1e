import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { StorageProblem } from "../storage-problem";
import { combineChecksums, toBase64 } from "./checksum";
import { forEachPart } from "./for-each-part";
import type { ReadPart } from "./read-part";
import { persist } from "./retry";
import { type SendEvents, type SendTools, sendSlice } from "./send-slice";
import type { FileToSend, SentFile } from "./send-whole";
import { createPartSigner } from "./sign-parts";

/** An upload in parts, as far as it has come. */
export interface PartedUpload {
  /** as multipart/create returned it */
  handle: string;
  key: string;
  /** bytes */
  size: number;
  /** bytes; the last part has what is left */
  partSize: number;
  partCount: number;
  algorithm: ChecksumAlgorithm | null;
  /** the parts of this file that are in the store, by number, each with its checksum; null where the store takes none */
  arrived: Map<number, bigint | null>;
}

/** A store that keeps losing parts that it had taken is asked to complete so often. */
const MOST_COMPLETIONS = 3;

/** The store no longer has the upload, or cannot use its parts: all of them have to be sent again. */
export class UploadLostError extends Error {}

/** The file is not the one that the upload was begun with. */
export class DifferentFileError extends Error {}

/** Begins an upload. @returns null when the file's name is taken. Rejects with a StorageProblem or the signal's reason. */
export async function beginUpload(
  what: FileToSend,
  { client, timing }: SendTools,
  { onRetry }: SendEvents,
  signal: AbortSignal,
): Promise<PartedUpload | null> {
  const { file, folderPath, name: fileName, contentType, overwrite } = what;
  const request = { folderPath, fileName, contentType, size: file.size, ifNoneMatch: !overwrite };
  try {
    const created = await persist(() => client.createUpload(request, signal), timing, onRetry, signal);
    const { upload: handle, key, partSize, partCount, checksum: algorithm } = created;
    return { handle, key, size: file.size, partSize, partCount, algorithm, arrived: new Map() };
  } catch (error) {
    if (saidBy(error) === "name_taken") return null;
    throw error;
  }
}

/**
 * Finds out which parts the store has of an upload from an earlier visit, and that they are this file's: by their checksums, where the
 * store keeps them, before anything else of it is sent.
 * Rejects with UploadLostError, DifferentFileError, a StorageProblem or the signal's reason.
 */
export async function reopenUpload(
  upload: PartedUpload,
  file: Blob,
  tools: SendTools,
  events: SendEvents,
  signal: AbortSignal,
): Promise<void> {
  const { arrived, algorithm } = upload;
  const stored = await listArrived(upload, tools, events, signal);
  const numbers = [...stored.keys()].filter((number) => !arrived.has(number));
  await forEachPart(numbers, tools.memory, signal, () => async (number) => {
    const part = algorithm === null ? { checksum: null } : await readPart(upload, file, number, tools);
    if (checksumText(upload, part) !== stored.get(number)) throw new DifferentFileError();
    arrived.set(number, part.checksum);
    events.onProgress(bytesArrived(upload));
  });
}

/**
 * Sends what is missing of an upload and makes it a file. What has arrived when it fails is kept in `upload`: the next call goes on.
 * @returns null when the name is taken
 * Rejects with UploadLostError, a StorageProblem or the signal's reason.
 */
export async function sendParts(
  upload: PartedUpload,
  what: FileToSend,
  tools: SendTools,
  events: SendEvents,
  signal: AbortSignal,
): Promise<SentFile | null> {
  const { client, timing } = tools;
  for (let completions = 1; ; completions++) {
    await sendMissing(upload, what.file, tools, events, signal);
    const checksum = wholeChecksum(upload);
    const request = { upload: upload.handle, checksum: checksum?.value, overwrite: what.overwrite };
    try {
      await persist(() => client.completeUpload(request, signal), timing, events.onRetry, signal);
      return { key: upload.key, checksum };
    } catch (error) {
      const code = saidBy(error);
      if (code === "name_taken") return null;
      if (code !== "upload_incomplete") throw isLost(code) ? new UploadLostError(code) : error;
      const stored = await listArrived(upload, tools, events, signal);
      if (completions >= MOST_COMPLETIONS) throw new UploadLostError(code);
      // What is missing, or has changed, is sent again; where nothing is, the store may only have been slow to see it.
      for (const [number, checksum] of [...upload.arrived]) {
        if (stored.get(number) !== checksumText(upload, { checksum })) upload.arrived.delete(number);
      }
    }
  }
}

async function sendMissing(
  upload: PartedUpload,
  file: Blob,
  tools: SendTools,
  events: SendEvents,
  signal: AbortSignal,
): Promise<void> {
  const { arrived, partCount } = upload;
  const sending = new Map<number, number>();
  const report = () => {
    let sent = bytesArrived(upload);
    for (const bytes of sending.values()) sent += bytes;
    events.onProgress(sent);
  };
  const missing = Array.from({ length: partCount }, (_, index) => index + 1).filter(
    (number) => !arrived.has(number),
  );
  const begin = (stop: AbortSignal) => {
    const sign = createPartSigner(upload.handle, tools, stop);
    return async (number: number) => {
      const part = await readPart(upload, file, number, tools);
      const signPart = () => sign(number, checksumText(upload, part));
      const onProgress = (sent: number) => {
        sending.set(number, sent);
        report();
      };
      const outcome = await sendSlice(part, signPart, tools, { ...events, onProgress }, stop);
      if (outcome !== "done") throw new StorageProblem("failed");
      sending.delete(number);
      arrived.set(number, part.checksum);
      report();
    };
  };
  await forEachPart(missing, tools.memory, signal, begin).catch((error: unknown) => {
    const isGone = error instanceof StorageProblem && error.code === "not_found";
    throw isGone || isLost(saidBy(error)) ? new UploadLostError() : error;
  });
}

/** The parts that the store has whole, by number, with its checksum of each; null where it keeps none. */
async function listArrived(
  upload: PartedUpload,
  { client, timing }: SendTools,
  { onRetry }: SendEvents,
  signal: AbortSignal,
): Promise<Map<number, string | null>> {
  try {
    const list = () => client.listParts(upload.handle, signal);
    const { parts } = await persist(list, timing, onRetry, signal);
    const usable = parts.filter(
      ({ number, size, checksum }) =>
        size === bytesOfPart(upload, number) && (upload.algorithm === null || checksum !== undefined),
    );
    return new Map(usable.map(({ number, checksum }) => [number, checksum ?? null]));
  } catch (error) {
    throw isLost(saidBy(error)) ? new UploadLostError() : error;
  }
}

function readPart({ partSize, algorithm }: PartedUpload, file: Blob, number: number, { read }: SendTools) {
  const start = (number - 1) * partSize;
  return read(file.slice(start, start + partSize), algorithm);
}

function checksumText({ algorithm }: PartedUpload, { checksum }: Pick<ReadPart, "checksum">): string | null {
  return algorithm === null || checksum === null ? null : toBase64(algorithm, checksum);
}

/** Of the whole file, from those of its parts. */
function wholeChecksum(upload: PartedUpload): SentFile["checksum"] {
  const { algorithm, arrived, partCount } = upload;
  if (algorithm === null) return null;
  let whole = arrived.get(1) ?? 0n;
  for (let number = 2; number <= partCount; number++) {
    whole = combineChecksums(algorithm, whole, arrived.get(number) ?? 0n, bytesOfPart(upload, number));
  }
  return { algorithm, value: toBase64(algorithm, whole) };
}

function bytesOfPart({ size, partSize }: PartedUpload, number: number): number {
  return Math.min(partSize, size - (number - 1) * partSize);
}

/** bytes */
export function bytesArrived(upload: PartedUpload): number {
  const { arrived, partSize, partCount } = upload;
  const whole = arrived.size * partSize;
  return arrived.has(partCount) ? whole - partSize + bytesOfPart(upload, partCount) : whole;
}

function saidBy(error: unknown): string | undefined {
  return error instanceof StorageProblem ? error.details.said : undefined;
}

/**
 * `upload_conflict` and `checksum_mismatch`: the store cannot make a file of these parts, and says to begin anew. `invalid_request`: the
 * handle was signed with a secret that the service has forgotten.
 */
const LOST = new Set(["upload_not_found", "upload_conflict", "checksum_mismatch", "invalid_request"]);

function isLost(code: string | undefined): boolean {
  return code !== undefined && LOST.has(code);
}
