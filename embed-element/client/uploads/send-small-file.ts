import { crcToBase64 } from "../../shared/crc.js";
import type { ReadBlob } from "../../shared/read-blob.js";
import { startDeadline } from "../deadline.js";
import { FilesError, isNameTaken } from "../errors.js";
import { objectKey } from "../folder-path.js";
import { withRetries } from "../retry.js";
import { type PutTarget, sendBlob } from "./send-blob.js";
import { type FileToSend, type SendContext, type StoredFile, usableUntil } from "./send-context.js";

/** Supported by every store that supports checksums of single PUTs. */
const ALGORITHM = "CRC32";
/** How long comparing a file with the stored object may take. */
const COMPARE_TIMEOUT_MS = 60_000;

/**
 * Sends a file in one request.
 * @throws a FilesError, see `isNameTaken`; or the signal's reason when it is cancelled
 */
export function sendSmallFile(toSend: FileToSend, context: SendContext): Promise<StoredFile> {
  const { tools, signal } = context;
  const { traits } = tools;
  return tools.partSlots.run(async () => {
    const read = await tools.read(toSend.file, ALGORITHM);
    for (;;) {
      const { conditional, checksums } = traits;
      const ifNoneMatch = !toSend.overwrite && conditional;
      const looksFirst = !toSend.overwrite && !conditional;
      const checksum = checksums ? checksumOf(read) : null;
      let key = objectKey(toSend.folderPath, toSend.name);
      const sign = async () => {
        const signed = await prepare(toSend, read.body, { ifNoneMatch, checksum }, context);
        key = signed.key;
        return signed;
      };
      let { mayBeStored } = toSend;
      const onRetry: SendContext["onRetry"] = (error) => {
        mayBeStored = true;
        context.onRetry(error);
      };
      const outcome =
        looksFirst && (await isTaken(toSend, context))
          ? "exists"
          : await sendBlob(read.body, sign, { ...context, onRetry }).catch(existsOrThrow);
      if (outcome === "done") return { key, checksum };
      if (outcome === "exists") {
        if (mayBeStored && (await isSame(read, key, context))) return { key, checksum };
        throw new FilesError("name_taken");
      }
      // Try without If-None-Match first, then without checksums.
      if (ifNoneMatch) traits.conditional = false;
      else if (checksums) traits.checksums = false;
      else throw new FilesError("failed");
    }
  }, signal);
}

function checksumOf({ checksum }: ReadBlob): StoredFile["checksum"] {
  return checksum === null ? null : { algorithm: ALGORITHM, value: crcToBase64(ALGORITHM, checksum) };
}

/** If the store may ignore `If-None-Match`, the server checks first and responds `name_taken`. */
function existsOrThrow(error: unknown): "exists" {
  if (isNameTaken(error)) return "exists";
  throw error;
}

/** Signs the upload with the file's MD5 if the store compares nothing else. The server's response says so. */
async function prepare(
  { folderPath, name: fileName, contentType }: FileToSend,
  body: Blob,
  { ifNoneMatch, checksum }: { ifNoneMatch: boolean; checksum: StoredFile["checksum"] },
  { tools, signal }: SendContext,
): Promise<PutTarget & { key: string }> {
  const { target, read, traits } = tools;
  const options = { ifNoneMatch, checksum: checksum ?? undefined };
  const request = { folderPath, fileName, contentType, size: body.size, ...options };
  const sign = (contentMd5: string | null) =>
    target.prepare({ ...request, contentMd5: contentMd5 ?? undefined }, signal);
  const computeMd5 = async () => (await read(body, "MD5")).md5;
  const known = traits.integrity === "contentMd5" ? await computeMd5() : null;
  let signed = await sign(known);
  traits.integrity = signed.integrity;
  if (signed.integrity === "contentMd5" && known === null) {
    const contentMd5 = await computeMd5();
    if (contentMd5 === null) traits.integrity = null;
    else signed = await sign(contentMd5);
  }
  return { ...signed, usableUntil: usableUntil(signed.expiresAt, tools) };
}

function isTaken({ folderPath, name }: FileToSend, context: SendContext): Promise<boolean> {
  const { tools, signal } = context;
  return withRetries(() => tools.target.isTaken(folderPath, name, signal), tools.timing, context);
}

/** Whether the stored object is the file that was sent: the response to an earlier attempt may have been lost. */
async function isSame(file: ReadBlob, key: string, context: SendContext): Promise<boolean> {
  const { tools, signal } = context;
  try {
    return (
      (await tools.target.isStored(key, file.body.size, signal)) ??
      (await hasSameBytes(file, key, context).catch(() => null)) ??
      (await hasSameEtag(file, key, context))
    );
  } catch {
    // Unknown: the person is asked.
    return false;
  } finally {
    signal.throwIfAborted();
  }
}

/** Null if the object cannot be read. */
async function hasSameBytes(
  file: ReadBlob,
  key: string,
  { tools, signal }: SendContext,
): Promise<boolean | null> {
  const { call, read, world } = tools;
  const deadline = startDeadline(world, COMPARE_TIMEOUT_MS, signal);
  try {
    const { url } = await call("presign-download", { key, disposition: "attachment" }, deadline.signal);
    const response = await world.fetch(url, { signal: deadline.signal });
    if (!response.ok) return null;
    const stored = await response.blob();
    return stored.size === file.body.size && (await read(stored, ALGORITHM)).checksum === file.checksum;
  } finally {
    deadline.end();
  }
}

/**
 * For tokens that may not download, and files that are still being checked. Of an object that was sent in one request, the ETag is the MD5,
 * except where the store encrypts it with keys of its own.
 */
async function hasSameEtag(file: ReadBlob, key: string, { tools, signal }: SendContext): Promise<boolean> {
  const { md5 } = await tools.read(file.body, "MD5");
  const { uploaded } = await tools.call("uploaded", { keys: [key] }, signal);
  return md5 !== null && uploaded.some((stored) => stored.key === key && stored.etag === `"${hexOf(md5)}"`);
}

const hexOf = (base64: string) =>
  Array.from(atob(base64), (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
