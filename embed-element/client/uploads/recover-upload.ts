import { completeParts } from "../../shared/part-sizes.js";
import { FilesError, isNameTaken } from "../errors.js";
import { forEachPart, readPart } from "./each-part.js";
import { checksumText, type MultipartUpload, storedBytesOf } from "./multipart-upload.js";
import { callWithRetries, type SendContext } from "./send-context.js";

/**
 * Finds out which parts the store has, before any are sent:
 *
 * - Parts of an earlier visit must be the file's, judged by their checksums. Without checksums, name, size and time have to be enough.
 * - Parts of this visit that the store has lost, or has differently, are sent again.
 * @throws a FilesError, `different_file` if the upload was started with another file; or the signal's reason
 */
export async function checkStoredParts(
  multipart: MultipartUpload,
  file: Blob,
  context: SendContext,
): Promise<void> {
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

/**
 * The server's error codes that mean: start over. `upload_conflict` and `checksum_mismatch`: the store cannot assemble these parts.
 * `invalid_request`: the handle was signed with a secret that has been rotated out.
 */
const startOverCodes: readonly string[] = ["upload_conflict", "checksum_mismatch", "invalid_request"];

/** Whether the store has no such upload any more: the platform says so, or a 404 of the store itself. */
export function isUploadGone(error: unknown): boolean {
  if (!(error instanceof FilesError)) return false;
  return error.code === "upload_not_found" || (error.code === "not_found" && error.status === undefined);
}

/** Whether the platform says, when it is asked to complete an upload that is gone, that it has not become this file. */
export function isNotCompleted(error: unknown): boolean {
  if (isUploadGone(error) || isNameTaken(error)) return true;
  return error instanceof FilesError && [...startOverCodes, "upload_incomplete"].includes(error.code);
}

/**
 * What to continue with after an upload has failed: the same upload, if the store misses parts; null to start over, if the store no longer
 * has the upload or cannot use its parts, or if the upload that was found is one of another file.
 * @throws `error` in all other cases
 */
export function recoverUpload(
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
