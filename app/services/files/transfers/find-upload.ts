import type { MultipartUpload } from "./multipart-upload";
import type { FileToSend, SendContext } from "./send-context";

/** An unfinished upload of a file of this name and size. The person has to say whether it is continued, because it may be somebody else's. */
export class UnfinishedUploadFound extends Error {
  /** @param arrived bytes that are stored */
  constructor(
    readonly multipart: MultipartUpload,
    readonly arrived: number,
  ) {
    super("An unfinished upload was found.");
  }
}

/**
 * The visitor's unfinished upload of this file, begun in another browser, or in one that keeps no records. A failure only means that the
 * file is sent from its beginning.
 * @throws UnfinishedUploadFound, or the signal's reason
 */
export async function findUpload(
  { file, folderPath, name: fileName, contentType, overwrite }: FileToSend,
  { tools, signal }: SendContext,
): Promise<MultipartUpload | null> {
  const { size } = file;
  const request = { folderPath, fileName, contentType, size, ifNoneMatch: !overwrite };
  const found = await tools.client.call("multipart/find", request, signal).catch(() => null);
  signal.throwIfAborted();
  if (found === null || found.upload === null) return null;
  const { upload: handle, key, partSize, partCount, checksum: algorithm, integrity } = found;
  tools.traits.integrity = integrity;
  const upload = { handle, key, size, partSize, partCount, algorithm, storedParts: new Map() };
  const multipart: MultipartUpload = { ...upload, needsCheck: true, isFound: true };
  if (found.mayBeOthers) throw new UnfinishedUploadFound(multipart, found.arrived);
  return multipart;
}
