import type { ChecksumAlgorithm } from "../../shared/checksums.js";
import { combineCrcs, crcToBase64 } from "../../shared/crc.js";
import { bytesOfPart } from "../../shared/part-sizes.js";

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
  /** null if the store keeps no checksums; its parts are sent with their MD5 */
  algorithm: ChecksumAlgorithm | null;
  /** the stored parts by number, each with its checksum; null if the store does not support checksums */
  storedParts: Map<number, bigint | null>;
  /** `storedParts` may not be what the store has: `checkStoredParts` has to run before parts are sent */
  needsCheck: boolean;
  /** This browser had no record of it. Until its parts have been checked, it may be an upload of another file. */
  isFound?: boolean;
}

/** A part's checksum in base64; null if the store keeps none. */
export function checksumText({ algorithm }: MultipartUpload, checksum: bigint | null): string | null {
  return algorithm === null || checksum === null ? null : crcToBase64(algorithm, checksum);
}

/** The checksum of the whole file, combined from those of its parts. */
export function wholeChecksum(
  multipart: MultipartUpload,
): { algorithm: ChecksumAlgorithm; value: string } | null {
  const { algorithm, storedParts, partCount } = multipart;
  if (algorithm === null) return null;
  let whole = storedParts.get(1) ?? 0n;
  for (let number = 2; number <= partCount; number++) {
    whole = combineCrcs(algorithm, whole, storedParts.get(number) ?? 0n, bytesOfPart(multipart, number));
  }
  return { algorithm, value: crcToBase64(algorithm, whole) };
}

/** bytes */
export function storedBytesOf(multipart: MultipartUpload): number {
  const { storedParts, partSize, partCount } = multipart;
  const whole = storedParts.size * partSize;
  return storedParts.has(partCount) ? whole - partSize + bytesOfPart(multipart, partCount) : whole;
}
