import { Batches } from "../../shared/batches.js";
import { completeParts } from "../../shared/part-sizes.js";
import { FilesError, isNameTaken } from "../errors.js";
import { MAX_SIGNED_PARTS } from "../limits.js";
import type { ResultOf } from "../operations.js";
import { withRetries } from "../retry.js";
import { checksumText, type MultipartUpload, storedBytesOf, wholeChecksum } from "./multipart-upload.js";
import { type PutTarget, sendBlob } from "./send-blob.js";
import {
  callWithRetries,
  type FileToSend,
  type SendContext,
  type SendTools,
  type StoredFile,
  usableUntil,
} from "./send-context.js";

/** Maximum number of times to continue after the store has lost parts or the whole upload. */
const MAX_RECOVERIES = 2;

/** An unfinished upload of a file of this name and size. The person has to say whether it is continued, because it may be somebody else's. */
export class UnfinishedUploadFound extends Error {
  constructor(readonly multipart: MultipartUpload) {
    super("An unfinished upload was found.");
  }
}

/**
 * Sends a file as an S3 multipart upload.
 * @param earlier what an attempt before has passed to `context.keep`; null to begin
 * @throws a FilesError, see `isNameTaken`; UnfinishedUploadFound; or the signal's reason
 */
export async function sendLargeFile(
  toSend: FileToSend,
  earlier: MultipartUpload | null,
  context: SendContext,
): Promise<StoredFile> {
  let multipart =
    earlier ?? (toSend.mayFind && context.tools.target.resumes ? await findUpload(toSend, context) : null);
  for (let recoveries = 0; ; recoveries++) {
    multipart ??= await createUpload(toSend, context);
    context.keep(multipart);
    try {
      return (
        (await sendParts(multipart, toSend, context)) ??
        (await completeUpload(multipart, toSend.overwrite, context))
      );
    } catch (error) {
      // The same upload, or null to begin anew. Throws the error if neither would help.
      multipart = recoverUpload(error, multipart, context);
      // Also before giving up, so that a retry does not continue what is lost.
      context.keep(multipart);
      if (recoveries === MAX_RECOVERIES) throw error;
    }
  }
}

/**
 * The visitor's unfinished upload of this file, begun in another browser, or in one that keeps no records. A failure only means that the
 * file is sent from its beginning.
 * @throws UnfinishedUploadFound, or the signal's reason
 */
async function findUpload(
  toSend: FileToSend,
  { tools, signal }: SendContext,
): Promise<MultipartUpload | null> {
  const found = await tools.call("multipart/find", requestFor(toSend), signal).catch(() => null);
  signal.throwIfAborted();
  if (found === null || found.upload === null) return null;
  const multipart = { ...asMultipart(found, toSend, tools), needsCheck: true, isFound: true };
  if (found.ownerUnknown) throw new UnfinishedUploadFound(multipart);
  return multipart;
}

async function createUpload(toSend: FileToSend, context: SendContext): Promise<MultipartUpload> {
  const created = await callWithRetries("multipart/create", requestFor(toSend), context);
  return asMultipart(created, toSend, context.tools);
}

const requestFor = ({ file: { size }, folderPath, name: fileName, contentType, overwrite }: FileToSend) => ({
  folderPath,
  fileName,
  contentType,
  size,
  ifNoneMatch: !overwrite,
});

function asMultipart(
  { upload: handle, key, partSize, partCount, checksum: algorithm, integrity }: ResultOf<"multipart/create">,
  { file: { size } }: FileToSend,
  { traits }: SendTools,
): MultipartUpload {
  traits.integrity = integrity;
  return { handle, key, size, partSize, partCount, algorithm, storedParts: new Map(), needsCheck: false };
}

/** @returns the file, if it turns out that the upload is complete; otherwise null, once the store has all parts */
async function sendParts(
  multipart: MultipartUpload,
  toSend: FileToSend,
  context: SendContext,
): Promise<StoredFile | null> {
  try {
    if (multipart.needsCheck) await checkStoredParts(multipart, toSend.file, context);
    await sendMissingParts(multipart, toSend.file, context);
    return null;
  } catch (error) {
    const completed = isUploadGone(error) ? await findCompleted(multipart, toSend, context) : null;
    if (completed === null) throw error;
    return completed;
  }
}

/**
 * The file, if the upload was completed and nobody has noticed: the page was closed, or the response was lost. The store then has no parts
 * any more, so the whole file is compared. Null if it was not completed, or became another file.
 */
async function findCompleted(
  multipart: MultipartUpload,
  { file, overwrite }: FileToSend,
  context: SendContext,
): Promise<StoredFile | null> {
  const { storedParts, partCount, algorithm } = multipart;
  if (algorithm !== null) {
    context.onChecking();
    const numbers = Array.from({ length: partCount }, (_, index) => index + 1);
    const unread = numbers.filter((number) => !storedParts.has(number));
    await forEachPart(unread, context, async (number) => {
      storedParts.set(number, (await readPart(multipart, file, number, context.tools)).checksum);
    });
  }
  try {
    return await completeUpload(multipart, overwrite, context);
  } catch (error) {
    context.signal.throwIfAborted();
    // After another failure, such as the end of the session, the next attempt asks again.
    if (!isNotCompleted(error)) throw error;
    storedParts.clear();
    return null;
  }
}

/**
 * Finds out which parts the store has, before any are sent:
 *
 * - Parts of an earlier visit must be the file's, judged by their checksums. Without checksums, name, size and time have to be enough.
 * - Parts of this visit that the store has lost, or has differently, are sent again.
 * @throws a FilesError, `different_file` if the upload was started with another file; or the signal's reason
 */
async function checkStoredParts(multipart: MultipartUpload, file: Blob, context: SendContext): Promise<void> {
  const { storedParts, algorithm } = multipart;
  context.onChecking();
  const stored = await listStoredParts(multipart, context);
  const ofEarlierVisit = [...stored.keys()].filter((number) => !storedParts.has(number));
  for (const [number, checksum] of [...storedParts]) {
    if (stored.get(number) !== checksumText(multipart, checksum)) storedParts.delete(number);
  }
  await forEachPart(ofEarlierVisit, context, async (number) => {
    const checksum = algorithm && (await readPart(multipart, file, number, context.tools)).checksum;
    if (checksumText(multipart, checksum) !== stored.get(number)) throw new FilesError("different_file");
    storedParts.set(number, checksum);
    context.keep(multipart);
    context.onProgress(storedBytesOf(multipart));
  });
  multipart.needsCheck = false;
}

/** Checksums of the complete stored parts, by number; null if the store keeps none. */
async function listStoredParts(
  multipart: MultipartUpload,
  context: SendContext,
): Promise<Map<number, string | null>> {
  const { parts } = await callWithRetries("multipart/list", { upload: multipart.handle }, context);
  const usable = completeParts(multipart, parts).filter(
    ({ checksum }) => multipart.algorithm === null || checksum !== undefined,
  );
  return new Map(usable.map(({ number, checksum }) => [number, checksum ?? null]));
}

async function sendMissingParts(multipart: MultipartUpload, file: Blob, context: SendContext): Promise<void> {
  const { storedParts, partCount } = multipart;
  /** by number: bytes so far of the parts that are being sent */
  const sending = new Map<number, number>();
  const report = () => {
    let sent = storedBytesOf(multipart);
    for (const bytes of sending.values()) sent += bytes;
    context.onProgress(sent);
  };
  report();
  context.onSending();
  const sign = createPartSigner(multipart.handle, context);
  const numbers = Array.from({ length: partCount }, (_, index) => index + 1);
  const missing = numbers.filter((number) => !storedParts.has(number));
  await forEachPart(missing, context, async (number, partContext) => {
    const { body, checksum, md5 } = await readPart(multipart, file, number, context.tools);
    const digests = {
      checksum: checksumText(multipart, checksum) ?? undefined,
      contentMd5: md5 ?? undefined,
    };
    const onProgress = (sent: number) => {
      sending.set(number, sent);
      report();
    };
    const outcome = await sendBlob(body, () => sign({ number, ...digests }), { ...partContext, onProgress });
    if (outcome !== "done") throw new FilesError("failed");
    sending.delete(number);
    storedParts.set(number, checksum);
    context.keep(multipart);
    report();
  });
}

/** A part, with the digest that becomes part of its URL's signature. */
interface PartToSign {
  number: number;
  /** base64 */
  checksum: string | undefined;
  /** base64 */
  contentMd5: string | undefined;
}

/** Signs the parts of one upload. While a request is running, the parts that need a URL are collected for the next one. */
function createPartSigner(handle: string, { tools, signal }: SendContext) {
  const batches = new Batches<PartToSign, PutTarget>(async (parts) => {
    const signed = await tools.call("multipart/sign", { upload: handle, parts }, signal);
    return signed.parts.map((part) => ({ ...part, usableUntil: usableUntil(signed.expiresAt, tools) }));
  }, MAX_SIGNED_PARTS);
  return (part: PartToSign) => batches.add(part);
}

/** Asks the platform to complete the upload. The store assembles the parts, and verifies the checksum of the whole file if it keeps any. */
async function completeUpload(
  multipart: MultipartUpload,
  overwrite: boolean,
  context: SendContext,
): Promise<StoredFile> {
  const { handle, key } = multipart;
  const checksum = wholeChecksum(multipart);
  const request = { upload: handle, checksum: checksum?.value, overwrite };
  const { tools, signal } = context;
  await withRetries(() => tools.target.finish(request, signal), tools.timing, context);
  return { key, checksum };
}

/**
 * The server's error codes that mean: start over. `upload_conflict` and `checksum_mismatch`: the store cannot assemble these parts.
 * `invalid_request`: the handle was signed with a secret that has been rotated out.
 */
const startOverCodes: readonly string[] = ["upload_conflict", "checksum_mismatch", "invalid_request"];

/** Whether the store has no such upload any more: the platform says so, or a 404 of the store itself. */
function isUploadGone(error: unknown): boolean {
  if (!(error instanceof FilesError)) return false;
  return error.code === "upload_not_found" || (error.code === "not_found" && error.status === undefined);
}

/** Whether the platform says, when it is asked to complete an upload that is gone, that it has not become this file. */
function isNotCompleted(error: unknown): boolean {
  if (isUploadGone(error) || isNameTaken(error)) return true;
  return error instanceof FilesError && [...startOverCodes, "upload_incomplete"].includes(error.code);
}

/**
 * What to continue with after an upload has failed: the same upload, if the store misses parts; null to start over, if the store no longer
 * has the upload or cannot use its parts, or if the upload that was found is one of another file.
 * @throws `error` in all other cases
 */
function recoverUpload(
  error: unknown,
  multipart: MultipartUpload,
  { tools, onProgress }: SendContext,
): MultipartUpload | null {
  if (!(error instanceof FilesError)) throw error;
  // Not aborted: it is left to the file that it was begun with.
  if (multipart.isFound && error.code === "different_file") return null;
  const { code } = error;
  if (code === "upload_incomplete") return { ...multipart, needsCheck: true };
  if (!isUploadGone(error) && !startOverCodes.includes(code)) throw error;
  // Not awaited: the parts that are left in the store are of no use.
  tools.call("multipart/abort", { upload: multipart.handle }).catch(() => {});
  onProgress(0);
  return null;
}

/**
 * Works on parts concurrently, as many as fit into memory. The first failure stops the others; it is thrown when all have ended.
 * @param work on one part, with a context whose signal stops it
 * @throws what `work` throws, or the signal's reason
 */
async function forEachPart(
  numbers: readonly number[],
  context: SendContext,
  work: (number: number, context: SendContext) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([context.signal, failure.signal]);
  const working: Promise<void>[] = [];
  try {
    for (const number of numbers) {
      const release = await context.tools.partSlots.acquire(signal);
      const task = work(number, { ...context, signal });
      working.push(task.catch((error: unknown) => failure.abort(error)).finally(release));
    }
  } finally {
    await Promise.all(working);
  }
  signal.throwIfAborted();
}

/**
 * Reads a part, and computes the digest that the store compares it with. If the browser cannot compute the MD5, nothing is compared, and
 * `traits` says so.
 */
async function readPart(
  { partSize, algorithm }: MultipartUpload,
  file: Blob,
  number: number,
  { read, traits }: SendTools,
) {
  const start = (number - 1) * partSize;
  const part = await read(file.slice(start, start + partSize), algorithm ?? "MD5");
  if (algorithm === null && part.md5 === null) traits.integrity = null;
  return part;
}
