import { type ChecksumAlgorithm, checksumAlgorithms } from "../../embed-element/shared/checksums";
import { Crc, combineCrcs, crcFromBase64, crcToBase64 } from "../../embed-element/shared/crc";
import { S3Error } from "./errors";

/** `FULL_OBJECT`: of all bytes. `COMPOSITE`: of the checksums of the parts. */
export type ChecksumType = "FULL_OBJECT" | "COMPOSITE";

/** Amazon S3 User Guide, "Checking object integrity". */
export interface Checksum {
  algorithm: ChecksumAlgorithm;
  type: ChecksumType;
  /** base64; a composite one ends with `-` and the number of parts */
  value: string;
}

/** Reads `x-amz-checksum-algorithm`, or the end of a checksum header's name. Throws NotImplemented. */
export function readAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = checksumAlgorithms.find((candidate) => candidate === name.toUpperCase());
  if (algorithm) return algorithm;
  throw new S3Error(
    "NotImplemented",
    `This store does not support the checksum ${name}, only ${checksumAlgorithms.join(" and ")}.`,
  );
}

/** The type that a multipart upload asks for, or the default of S3. Throws InvalidRequest. */
export function readChecksumType(algorithm: ChecksumAlgorithm, asked: string | undefined): ChecksumType {
  const type = asked ?? (algorithm === "CRC32" ? "COMPOSITE" : "FULL_OBJECT");
  if (type === "FULL_OBJECT" || (type === "COMPOSITE" && algorithm === "CRC32")) return type;
  throw new S3Error(
    "InvalidRequest",
    `The ${asked} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  );
}

/** The checksum of an object, computed from those of its parts; `size` in bytes. */
export function combineChecksums(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  parts: { value: string; size: number }[],
): Checksum {
  if (type === "COMPOSITE") {
    const crc = new Crc(algorithm);
    for (const { value } of parts) crc.update(Buffer.from(value, "base64"));
    return { algorithm, type, value: `${crcToBase64(algorithm, crc.value)}-${parts.length}` };
  }
  const combined = parts.reduce(
    (whole, { value, size }) => combineCrcs(algorithm, whole, crcFromBase64(value), size),
    0n,
  );
  return { algorithm, type, value: crcToBase64(algorithm, combined) };
}
