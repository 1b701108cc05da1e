/**
 * The checksum algorithms in which the checksum of an object can be computed from those of its parts. The first that
 * the store accepts is used. `read-blob` computes them.
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

/** The headers of an upload that its bytes are compared with. @param digests `contentMd5`: base64; RFC 1864 */
export function digestHeaders(digests: {
  checksum?: Checksum | undefined;
  contentMd5?: string | undefined;
}): Record<string, string> {
  const { checksum, contentMd5 } = digests;
  return {
    ...(checksum && { [checksumHeader(checksum.algorithm)]: checksum.value }),
    ...(contentMd5 !== undefined && { "Content-MD5": contentMd5 }),
  };
}
