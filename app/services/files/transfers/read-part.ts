import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { Checksum } from "./checksum";

/** bytes; a longer part is not kept in memory, but read once more when it is sent */
export const LONGEST_KEPT = 32 * 1024 ** 2;
/** bytes; what is read of such a part at a time */
const PIECE = 4 * 1024 ** 2;

export interface ReadPart {
  /**
   * What is to be sent: the bytes as they were read, or the file's own slice where that is too long to keep. A Blob, since a browser's
   * developer tools copy every other body of every request.
   */
  body: Blob;
  /** of these bytes; null where no algorithm was asked for */
  checksum: bigint | null;
}

/**
 * Reads a slice of a file into memory and computes its checksum on the way, so that what is sent is what was checked, and Safari does
 * not send from a file, which it may never finish. Rejects with the browser's `NotReadableError` when the file has changed.
 */
export async function readPart(slice: Blob, algorithm: ChecksumAlgorithm | null): Promise<ReadPart> {
  if (slice.size <= LONGEST_KEPT) {
    const bytes = await slice.arrayBuffer();
    return { body: new Blob([bytes]), checksum: algorithm && checksumOf(algorithm, bytes) };
  }
  if (algorithm === null) return { body: slice, checksum: null };
  const checksum = new Checksum(algorithm);
  for (let at = 0; at < slice.size; at += PIECE) {
    checksum.update(new Uint8Array(await slice.slice(at, at + PIECE).arrayBuffer()));
  }
  return { body: slice, checksum: checksum.value };
}

function checksumOf(algorithm: ChecksumAlgorithm, bytes: ArrayBuffer): bigint {
  const checksum = new Checksum(algorithm);
  checksum.update(new Uint8Array(bytes));
  return checksum.value;
}
