import { objectKey } from "platform-embed-element/client";
import { crcToBase64 } from "../../../../../embed-element/shared/crc";
import { withRetries } from "../../place/contract/retry";
import type { Listing } from "../../place/contract/storage-contract.server";
import { isNameTaken, nameTaken, StorageProblem } from "../../place/contract/storage-problem";
import type { ReadBlob } from "./read-blob";
import { type PutTarget, sendBlob } from "./send-blob";
import { type FileToSend, type SendContext, type StoredFile, usableUntil } from "./send-context";

/** Supported by every store that supports checksums of single PUTs. */
const ALGORITHM = "CRC32";
/** How long comparing a file with the stored object may take. */
const COMPARE_TIMEOUT_MS = 60_000;

/**
 * Sends a file in one request.
 * @throws a StorageProblem, see `isNameTaken`; or the signal's reason when it is cancelled
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
      if (looksFirst && (await isInFolder(toSend, context))) throw nameTaken();
      const checksum = checksums ? checksumOf(read) : null;
      const key = objectKey(toSend.folderPath, toSend.name);
      const sign = () => presign(toSend, read.body, { ifNoneMatch, checksum }, context);
      let { mayBeStored } = toSend;
      const onRetry: SendContext["onRetry"] = (problem) => {
        mayBeStored = true;
        context.onRetry(problem);
      };
      const outcome = await sendBlob(read.body, sign, { ...context, onRetry }).catch(existsOrThrow);
      if (outcome === "done") return { key, checksum };
      if (outcome === "exists") {
        if (mayBeStored && (await isSame(read, key, context))) return { key, checksum };
        throw nameTaken();
      }
      // Try without If-None-Match first, then without checksums.
      if (ifNoneMatch) traits.conditional = false;
      else if (checksums) traits.checksums = false;
      else throw new StorageProblem("failed");
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
async function presign(
  { folderPath, name: fileName, contentType }: FileToSend,
  body: Blob,
  { ifNoneMatch, checksum }: { ifNoneMatch: boolean; checksum: StoredFile["checksum"] },
  { tools, signal }: SendContext,
): Promise<PutTarget> {
  const { client, read, traits } = tools;
  const options = { ifNoneMatch, checksum: checksum ?? undefined };
  const request = { folderPath, fileName, contentType, size: body.size, ...options };
  const sign = (contentMd5: string | null) =>
    client.call("presign-upload", { ...request, contentMd5: contentMd5 ?? undefined }, signal);
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

async function isInFolder({ folderPath, name }: FileToSend, context: SendContext): Promise<boolean> {
  const { tools, signal } = context;
  let cursor: string | null = null;
  do {
    const list = () => tools.client.list(folderPath, cursor, signal);
    const page: Listing = await withRetries(list, tools.timing, context);
    if (page.files.some((file) => file.name === name)) return true;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return false;
}

/** Whether the stored object is the file that was sent: the response to an earlier attempt may have been lost. */
async function isSame(file: ReadBlob, key: string, { tools, signal }: SendContext): Promise<boolean> {
  const { client, read } = tools;
  try {
    const hasArrived = await client.hasArrived(key, file.body.size, signal);
    if (hasArrived !== null) return hasArrived;
    const { url } = await client.call("presign-download", { key, disposition: "attachment" }, signal);
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(COMPARE_TIMEOUT_MS)]),
    });
    const stored = response.ok ? await read(await response.blob(), ALGORITHM) : null;
    return stored !== null && stored.checksum === file.checksum;
  } catch (error) {
    if (signal.aborted) throw error;
    // Unknown: the person is asked.
    return false;
  }
}
