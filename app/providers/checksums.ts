/** Checksums of a whole object that follow from those of its parts. The first that the store takes is used. */
export const checksumAlgorithms = ["CRC64NVME", "CRC32"] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

export interface Checksum {
  algorithm: ChecksumAlgorithm;
  /** base64 */
  value: string;
}

/** The header by which a store checks what it is sent. Amazon S3 API Reference, "PutObject". */
export const checksumHeader = (algorithm: ChecksumAlgorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** None without a checksum. */
export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  return checksum === undefined ? {} : { [checksumHeader(checksum.algorithm)]: checksum.value };
}
