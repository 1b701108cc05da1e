import type { ChecksumAlgorithm } from "./checksums.js";

/**
 * The CRCs of S3, for browsers, the server and the local store: CRC-64/NVME and CRC-32/ISO-HDLC in CRC RevEng's catalogue. Amazon S3 User
 * Guide, "Checking object integrity". A file of our own because no library combines the CRCs of parts into that of the whole.
 */

/** Bit-reversed polynomials: the lower 32 bits, and the higher 32 if there are 64. */
const POLYNOMIALS = {
  CRC64NVME: [0xac4bc9b5, 0x9a6c9329],
  CRC32: [0xedb88320, 0],
} as const satisfies Record<ChecksumAlgorithm, readonly [low: number, high: number]>;

const widthInBits = (algorithm: ChecksumAlgorithm) => (POLYNOMIALS[algorithm][1] === 0 ? 32n : 64n);
const joinHalves = (low: number, high: number) => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);

/** Lookup tables for eight bytes at a time ("slicing by 8"): table n holds the CRC of each byte followed by n zero bytes. */
interface Tables {
  low: Uint32Array;
  high: Uint32Array;
}

const tablesByAlgorithm = new Map<ChecksumAlgorithm, Tables>();

function tablesOf(algorithm: ChecksumAlgorithm): Tables {
  const known = tablesByAlgorithm.get(algorithm);
  if (known) return known;
  const [polynomialLow, polynomialHigh] = POLYNOMIALS[algorithm];
  const low = new Uint32Array(8 * 256);
  const high = new Uint32Array(8 * 256);
  for (let index = 0; index < low.length; index++) {
    let lowHalf = low[index - 256] ?? index;
    let highHalf = high[index - 256] ?? 0;
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = lowHalf & 1;
      lowHalf = ((lowHalf >>> 1) | (highHalf << 31)) ^ (isOdd && polynomialLow);
      highHalf = (highHalf >>> 1) ^ (isOdd && polynomialHigh);
    }
    low[index] = lowHalf;
    high[index] = highHalf;
  }
  const tables = { low, high };
  tablesByAlgorithm.set(algorithm, tables);
  return tables;
}

/** A CRC of bytes that arrive in chunks. */
export class Crc {
  readonly #tables: Tables;
  /** All bits are inverted at the beginning and at the end; a CRC of 32 bits has no high half. */
  readonly #highMask: number;
  #low = 0xffffffff;
  #high: number;

  constructor(algorithm: ChecksumAlgorithm) {
    this.#tables = tablesOf(algorithm);
    this.#highMask = POLYNOMIALS[algorithm][1] === 0 ? 0 : 0xffffffff;
    this.#high = this.#highMask;
  }

  update(bytes: Uint8Array): void {
    const { low: tableLow, high: tableHigh } = this.#tables;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const inEights = bytes.length - (bytes.length % 8);
    let low = this.#low;
    let high = this.#high;
    let at = 0;
    for (; at < inEights; at += 8) {
      const first = low ^ view.getInt32(at, true);
      const second = high ^ view.getInt32(at + 4, true);
      low = lookUp(tableLow, first, second);
      high = lookUp(tableHigh, first, second);
    }
    for (; at < bytes.length; at++) {
      const index = (low ^ (bytes[at] as number)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (tableLow[index] as number);
      high = (high >>> 8) ^ (tableHigh[index] as number);
    }
    this.#low = low;
    this.#high = high;
  }

  /** The CRC of all bytes so far. */
  get value(): bigint {
    return joinHalves(~this.#low, this.#high ^ this.#highMask);
  }
}

/** The table entries of eight bytes, combined: `first` holds the first four of them, lowest first. */
function lookUp(table: Uint32Array, first: number, second: number): number {
  return (
    (table[0x700 | (first & 0xff)] as number) ^
    (table[0x600 | ((first >>> 8) & 0xff)] as number) ^
    (table[0x500 | ((first >>> 16) & 0xff)] as number) ^
    (table[0x400 | (first >>> 24)] as number) ^
    (table[0x300 | (second & 0xff)] as number) ^
    (table[0x200 | ((second >>> 8) & 0xff)] as number) ^
    (table[0x100 | ((second >>> 16) & 0xff)] as number) ^
    (table[second >>> 24] as number)
  );
}

/**
 * The CRC of two pieces of data, one after the other, from the CRC of each.
 * @param secondLength bytes of the second piece
 */
export function combineCrcs(
  algorithm: ChecksumAlgorithm,
  first: bigint,
  second: bigint,
  secondLength: number,
): bigint {
  return multiply(shiftBy(algorithm, secondLength), first, algorithm) ^ second;
}

/** The last result of `shiftBy`: nearly all parts of an upload have the same length. */
let lastShift: { algorithm: ChecksumAlgorithm; bytes: number; factor: bigint } | null = null;

/** x to the power of the number of bits in `bytes` bytes: a CRC is multiplied by it when that many bytes follow. */
function shiftBy(algorithm: ChecksumAlgorithm, bytes: number): bigint {
  if (lastShift?.algorithm === algorithm && lastShift.bytes === bytes) return lastShift.factor;
  const width = widthInBits(algorithm);
  let factor = 1n << (width - 1n);
  // x to the power of 8, the bits of one byte.
  let power = 1n << (width - 9n);
  for (let left = BigInt(bytes); left > 0n; left >>= 1n) {
    if (left & 1n) factor = multiply(factor, power, algorithm);
    power = multiply(power, power, algorithm);
  }
  lastShift = { algorithm, bytes, factor };
  return factor;
}

/** The product of two polynomials over GF(2), modulo the algorithm's polynomial; all are bit-reversed. */
function multiply(a: bigint, b: bigint, algorithm: ChecksumAlgorithm): bigint {
  const [low, high] = POLYNOMIALS[algorithm];
  const polynomial = joinHalves(low, high);
  let product = 0n;
  let factor = b;
  for (let bit = 1n << (widthInBits(algorithm) - 1n); bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= factor;
    factor = factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n;
  }
  return product;
}

/** As headers and responses of S3 have it: base64 of the big-endian bytes. */
export function crcToBase64(algorithm: ChecksumAlgorithm, value: bigint): string {
  let bytes = "";
  for (let bits = widthInBits(algorithm) - 8n; bits >= 0n; bits -= 8n)
    bytes += String.fromCharCode(Number((value >> bits) & 0xffn));
  return btoa(bytes);
}

/** The reverse of `crcToBase64`. */
export function crcFromBase64(text: string): bigint {
  let value = 0n;
  for (const byte of atob(text)) value = (value << 8n) | BigInt(byte.charCodeAt(0));
  return value;
}
