import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { S3Error } from "./errors";

/** Amazon S3 User Guide, "Checking object integrity": what an object, or a part, can be checked by beside its MD5. */
export type ChecksumAlgorithm = "CRC32" | "CRC32C" | "CRC64NVME" | "SHA1" | "SHA256";
/** of all its bytes, or of the checksums of its parts */
export type ChecksumType = "FULL_OBJECT" | "COMPOSITE";

export interface Checksum {
  algorithm: ChecksumAlgorithm;
  type: ChecksumType;
  /** base64, and for a composite one `-` and the number of parts */
  value: string;
}

export interface Digest {
  update(chunk: Uint8Array): unknown;
  digest(): Buffer;
}

interface Algorithm {
  start(): Digest;
  /** the first is what S3 takes when an upload in parts names none */
  types: ChecksumType[];
  /** reflected, without the highest term; for what can be combined from its parts */
  polynomial?: bigint;
}

const CRC32C_POLYNOMIAL = 0x82f63b78n;
const CRC64NVME_POLYNOMIAL = 0x9a6c9329ac4bc9b5n;

const ALGORITHMS: Record<ChecksumAlgorithm, Algorithm> = {
  CRC32: { start: startCrc32, types: ["COMPOSITE", "FULL_OBJECT"], polynomial: 0xedb88320n },
  CRC32C: {
    start: crcStarter(CRC32C_POLYNOMIAL, 4),
    types: ["COMPOSITE", "FULL_OBJECT"],
    polynomial: CRC32C_POLYNOMIAL,
  },
  CRC64NVME: {
    start: crcStarter(CRC64NVME_POLYNOMIAL, 8),
    types: ["FULL_OBJECT"],
    polynomial: CRC64NVME_POLYNOMIAL,
  },
  SHA1: { start: () => createHash("sha1"), types: ["COMPOSITE"] },
  SHA256: { start: () => createHash("sha256"), types: ["COMPOSITE"] },
};

export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** The algorithm of `x-amz-checksum-algorithm` and of the names of checksum headers. Throws NotImplemented. */
export function readAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = name.toUpperCase();
  if (Object.hasOwn(ALGORITHMS, algorithm)) return algorithm as ChecksumAlgorithm;
  throw new S3Error(
    "NotImplemented",
    `This store does not know the checksum ${name}: use ${Object.keys(ALGORITHMS).join(", ")}.`,
  );
}

/** The type an upload in parts asks for, or the one S3 takes when it asks for none. Throws InvalidRequest. */
export function readChecksumType(algorithm: ChecksumAlgorithm, asked: string | undefined): ChecksumType {
  const { types } = ALGORITHMS[algorithm];
  const type = asked === undefined ? types[0] : types.find((candidate) => candidate === asked);
  if (type) return type;
  throw new S3Error(
    "InvalidRequest",
    `The ${asked} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  );
}

export function startDigest(algorithm: ChecksumAlgorithm): Digest {
  return ALGORITHMS[algorithm].start();
}

/** The checksum of an object by those of its parts; `size` in bytes. */
export function combineChecksums(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  parts: { value: string; size: number }[],
): Checksum {
  const values = parts.map(({ value }) => Buffer.from(value, "base64"));
  const { polynomial } = ALGORITHMS[algorithm];
  if (type === "COMPOSITE" || polynomial === undefined) {
    const digest = startDigest(algorithm);
    for (const value of values) digest.update(value);
    return { algorithm, type, value: `${digest.digest().toString("base64")}-${parts.length}` };
  }
  const width = values[0]?.length ?? 0;
  const shifts = new Map<number, bigint>();
  let combined = 0n;
  for (const [index, { size }] of parts.entries()) {
    // Nearly all parts are of one size, so the power of x is worked out once or twice.
    const shift = shifts.get(size) ?? powerOfX(size * 8, polynomial, width * 8);
    shifts.set(size, shift);
    combined =
      multiply(shift, combined, polynomial, width * 8) ^ BigInt(`0x${values[index]?.toString("hex")}`);
  }
  const hex = combined.toString(16).padStart(width * 2, "0");
  return { algorithm, type, value: Buffer.from(hex, "hex").toString("base64") };
}

/*
 * A CRC is a polynomial over GF(2) modulo the algorithm's own; bits are kept in reflected order, highest power last.
 * crc(A then B) = crc(A) * x^(bits of B) + crc(B), because all three algorithms begin and end with inverted bits.
 */
function multiply(left: bigint, right: bigint, polynomial: bigint, bits: number): bigint {
  let product = 0n;
  let shifted = right;
  for (let bit = 1n << BigInt(bits - 1); bit > 0n; bit >>= 1n) {
    if (left & bit) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n;
  }
  return product;
}

function powerOfX(exponent: number, polynomial: bigint, bits: number): bigint {
  let power = 1n << BigInt(bits - 1);
  let square = power >> 1n;
  for (let left = BigInt(exponent); left > 0n; left >>= 1n) {
    if (left & 1n) power = multiply(power, square, polynomial, bits);
    square = multiply(square, square, polynomial, bits);
  }
  return power;
}

function startCrc32(): Digest {
  let value = 0;
  return {
    update(chunk) {
      value = crc32(chunk, value);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes;
    },
  };
}

/** A CRC of 4 or 8 bytes by a table of what each byte does to it, in two halves because numbers have 32 bits here. */
function crcStarter(polynomial: bigint, width: 4 | 8): () => Digest {
  const highTable = new Uint32Array(256);
  const lowTable = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte);
    for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ polynomial : value >> 1n;
    highTable[byte] = Number(value >> 32n);
    lowTable[byte] = Number(value & 0xffffffffn);
  }
  return () => {
    let high = width === 8 ? 0xffffffff : 0;
    let low = 0xffffffff;
    return {
      update(chunk) {
        for (let position = 0; position < chunk.length; position++) {
          const entry = (low ^ (chunk[position] as number)) & 0xff;
          low = ((low >>> 8) | (high << 24)) ^ (lowTable[entry] as number);
          high = (high >>> 8) ^ (highTable[entry] as number);
        }
      },
      digest() {
        const bytes = Buffer.alloc(8);
        bytes.writeUInt32BE(~high >>> 0, 0);
        bytes.writeUInt32BE(~low >>> 0, 4);
        return bytes.subarray(8 - width);
      },
    };
  };
}
