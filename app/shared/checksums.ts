/**
 * The checksum algorithms in which the checksum of an object can be computed from those of its parts. The first that
 * the store accepts is used.
 */
export const checksumAlgorithms = ["CRC64NVME", "CRC32"] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

export interface Checksum {
  algorithm: ChecksumAlgorithm;
  /** base64 */
  value: string;
}

/** The header that a store compares with the content. Amazon S3 API Reference, "PutObject". */
export const checksumHeader = (algorithm: ChecksumAlgorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** No header without a checksum. */
export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  return checksum === undefined ? {} : { [checksumHeader(checksum.algorithm)]: checksum.value };
}
