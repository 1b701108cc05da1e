/**
 * The checksums that S3 takes of a whole object and of its parts alike, computed in a browser. Amazon S3 User Guide, "Checking object
 * integrity"; CRC RevEng's catalogue, "CRC-64/NVME" and "CRC-32/ISO-HDLC".
 */
import type { ChecksumAlgorithm } from "../../../providers/checksums";

/** Their polynomials, bit-reversed as both are computed: the lower and the higher 32 bits. CRC-32 has no others. */
const polynomials: Record<ChecksumAlgorithm, readonly [low: number, high: number]> = {
  CRC64NVME: [0xac4bc9b5, 0x9a6c9329],
  CRC32: [0xedb88320, 0],
};

/** bits */
const widthOf = (algorithm: ChecksumAlgorithm) => (polynomials[algorithm][1] === 0 ? 32n : 64n);
const fromHalves = (low: number, high: number) => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);

/** For each of eight bytes, what each of its 256 values adds: eight bytes are taken at a time ("slicing by 8"). */
interface Tables {
  low: Uint32Array;
  high: Uint32Array;
}

const tablesOf = new Map<ChecksumAlgorithm, Tables>();

function tables(algorithm: ChecksumAlgorithm): Tables {
  const known = tablesOf.get(algorithm);
  if (known) return known;
  const [polynomialLow, polynomialHigh] = polynomials[algorithm];
  const low = new Uint32Array(8 * 256);
  const high = new Uint32Array(8 * 256);
  for (let at = 0; at < low.length; at++) {
    // A byte, or what the table before has of it, moved on by eight bits.
    let lowHalf = low[at - 256] ?? at;
    let highHalf = high[at - 256] ?? 0;
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = lowHalf & 1;
      lowHalf = ((lowHalf >>> 1) | (highHalf << 31)) ^ (isOdd && polynomialLow);
      highHalf = (highHalf >>> 1) ^ (isOdd && polynomialHigh);
    }
    low[at] = lowHalf;
    high[at] = highHalf;
  }
  const made = { low, high };
  tablesOf.set(algorithm, made);
  return made;
}

/** A checksum of bytes that come piece by piece. */
export class Checksum {
  readonly #tables: Tables;
  /** the higher bits that there are: all bits are turned at the beginning, and at the end */
  readonly #turned: number;
  #low = 0xffffffff;
  #high: number;

  constructor(algorithm: ChecksumAlgorithm) {
    this.#tables = tables(algorithm);
    this.#turned = polynomials[algorithm][1] && 0xffffffff;
    this.#high = this.#turned;
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
      low = look(tableLow, first, second);
      high = look(tableHigh, first, second);
    }
    for (; at < bytes.length; at++) {
      const index = (low ^ (bytes[at] as number)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (tableLow[index] as number);
      high = (high >>> 8) ^ (tableHigh[index] as number);
    }
    this.#low = low;
    this.#high = high;
  }

  /** of all bytes so far */
  get value(): bigint {
    return fromHalves(~this.#low, this.#high ^ this.#turned);
  }
}

/** What eight bytes add, of which `first` has the first four, the lowest first. */
function look(table: Uint32Array, first: number, second: number): number {
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

/** The checksum of `first` followed by `second`, of which the second has `secondLength` bytes, from their checksums alone. */
export function combineChecksums(
  algorithm: ChecksumAlgorithm,
  first: bigint,
  second: bigint,
  secondLength: number,
): bigint {
  return multiply(shift(algorithm, secondLength), first, algorithm) ^ second;
}

/** Almost all parts of an upload are of one length. */
let lastShift: { algorithm: ChecksumAlgorithm; bytes: number; factor: bigint } | null = null;

/** What a checksum is multiplied with when so many bytes follow: x to the power of their bits. */
function shift(algorithm: ChecksumAlgorithm, bytes: number): bigint {
  if (lastShift?.algorithm === algorithm && lastShift.bytes === bytes) return lastShift.factor;
  const width = widthOf(algorithm);
  let factor = 1n << (width - 1n);
  // x to the power of 8: the bits of one byte.
  let power = 1n << (width - 9n);
  for (let left = BigInt(bytes); left > 0n; left >>= 1n) {
    if (left & 1n) factor = multiply(factor, power, algorithm);
    power = multiply(power, power, algorithm);
  }
  lastShift = { algorithm, bytes, factor };
  return factor;
}

/** The product of two polynomials over GF(2) modulo the checksum's own, all bit-reversed. */
function multiply(a: bigint, b: bigint, algorithm: ChecksumAlgorithm): bigint {
  const polynomial = fromHalves(...polynomials[algorithm]);
  let product = 0n;
  let factor = b;
  for (let bit = 1n << (widthOf(algorithm) - 1n); bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= factor;
    factor = factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n;
  }
  return product;
}

/** As it stands in headers and responses of S3: base64 of its bytes, the highest first. */
export function toBase64(algorithm: ChecksumAlgorithm, value: bigint): string {
  let bytes = "";
  for (let bits = widthOf(algorithm) - 8n; bits >= 0n; bits -= 8n)
    bytes += String.fromCharCode(Number((value >> bits) & 0xffn));
  return btoa(bytes);
}
