import type { ChecksumAlgorithm } from "../../../shared/checksums";
import { Crc } from "../../../shared/crc";

/** A longer blob is not kept in memory; the browser reads it again when it is sent. */
const MAX_KEPT_BYTES = 32 * 1024 ** 2;
/** Bytes of such a blob that are read at a time. */
const PIECE_BYTES = 4 * 1024 ** 2;

export interface ReadBlob {
  /**
   * The bytes as they were read, or the given blob where that is too long to keep. A Blob, because developer tools copy every other kind
   * of request body.
   */
  body: Blob;
  /** null if no algorithm was given */
  checksum: bigint | null;
}

/**
 * Reads a part of a file, or a whole one, into memory and computes its checksum, so that exactly these bytes are sent. It also avoids Safari's uploads from
 * disk, which may hang. Rejects with the browser's `NotReadableError` when the file has changed.
 */
export async function readBlob(blob: Blob, algorithm: ChecksumAlgorithm | null): Promise<ReadBlob> {
  if (blob.size <= MAX_KEPT_BYTES) {
    const bytes = await blob.arrayBuffer();
    return { body: new Blob([bytes]), checksum: algorithm && checksumOf(algorithm, bytes) };
  }
  if (algorithm === null) return { body: blob, checksum: null };
  const checksum = new Crc(algorithm);
  for (let at = 0; at < blob.size; at += PIECE_BYTES) {
    checksum.update(new Uint8Array(await blob.slice(at, at + PIECE_BYTES).arrayBuffer()));
  }
  return { body: blob, checksum: checksum.value };
}

function checksumOf(algorithm: ChecksumAlgorithm, bytes: ArrayBuffer): bigint {
  const checksum = new Crc(algorithm);
  checksum.update(new Uint8Array(bytes));
  return checksum.value;
}
