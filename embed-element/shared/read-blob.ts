import type { ChecksumAlgorithm } from "./checksums.js";
import { Crc } from "./crc.js";

/** A longer blob is not kept in memory; the browser reads it again when it is sent. */
const MAX_KEPT_BYTES = 32 * 1024 ** 2;
/** Bytes of such a blob that are read at a time. */
const PIECE_BYTES = 4 * 1024 ** 2;

/** MD5 is for stores that ignore checksums. */
export type DigestAlgorithm = ChecksumAlgorithm | "MD5";

/** Reads a part of a file, or a whole one. Rejects with a `NotReadableError` when the file has changed. */
export type BlobReader = (blob: Blob, algorithm: DigestAlgorithm) => Promise<ReadBlob>;

export interface ReadBlob {
  /**
   * The bytes as they were read, or the given blob if that is too long to keep. A Blob, because developer tools copy every other kind
   * of request body.
   */
  body: Blob;
  /** the CRC; null for MD5. Pages and workers of two versions may meet, so its name stays. */
  checksum: bigint | null;
  /** base64; null for a checksum, and where no MD5 can be computed */
  md5: string | null;
}

/**
 * Reads a part of a file, or a whole one, into memory and computes its digest, so that exactly these bytes are sent. It also avoids Safari's uploads from
 * disk, which may hang. Rejects with the browser's `NotReadableError` when the file has changed.
 * @param startMd5 an MD5 that is computed elsewhere: engines of JavaScript have none
 */
export async function readBlob(
  blob: Blob,
  algorithm: DigestAlgorithm,
  startMd5: () => Promise<Digest> = async () => noDigest,
): Promise<ReadBlob> {
  const digest = algorithm === "MD5" ? await startMd5() : startChecksum(algorithm);
  if (blob.size <= MAX_KEPT_BYTES) {
    const bytes = await blob.arrayBuffer();
    digest.update(new Uint8Array(bytes));
    return { body: new Blob([bytes]), ...digest.end() };
  }
  for (let at = 0; at < blob.size; at += PIECE_BYTES) {
    digest.update(new Uint8Array(await blob.slice(at, at + PIECE_BYTES).arrayBuffer()));
  }
  return { body: blob, ...digest.end() };
}

export interface Digest {
  update(bytes: Uint8Array): void;
  end(): Omit<ReadBlob, "body">;
}

function startChecksum(algorithm: ChecksumAlgorithm): Digest {
  const checksum = new Crc(algorithm);
  return {
    update: (bytes) => checksum.update(bytes),
    end: () => ({ checksum: checksum.value, md5: null }),
  };
}

const noDigest: Digest = { update() {}, end: () => ({ checksum: null, md5: null }) };
