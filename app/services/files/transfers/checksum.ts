/**
 * The checksums that S3 takes of a whole object and of its parts alike, computed in a browser. Amazon S3 User Guide, "Checking object
 * integrity"; CRC RevEng's catalogue, "CRC-64/NVME" and "CRC-32/ISO-HDLC".
 */
import type { ChecksumAlgorithm } from "../../../providers/checksums";

interface Parameters {
  /** bits */
  width: bigint;
  /** bit-reversed, as both are computed */
  polynomial: bigint;
}

const parameters: Record<ChecksumAlgorithm, Parameters> = {
  CRC64NVME: { width: 64n, polynomial: 0x9a6c9329ac4bc9b5n },
  CRC32: { width: 32n, polynomial: 0xedb88320n },
};

/** For each of eight bytes, what each of its 256 values adds: eight bytes are taken at a time ("slicing by 8"). */
interface Tables {
  low: Uint32Array;
  high: Uint32Array;
}

const tablesOf = new Map<ChecksumAlgorithm, Tables>();

function tables(algorithm: ChecksumAlgorithm): Tables {
  const known = tablesOf.get(algorithm);
  if (known) return known;
  const { polynomial } = parameters[algorithm];
  const low = new Uint32Array(8 * 256);
  const high = new Uint32Array(8 * 256);
  const single: bigint[] = [];
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte);
    for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ polynomial : value >> 1n;
    single.push(value);
  }
  for (let byte = 0; byte < 256; byte++) {
    let value = single[byte] ?? 0n;
    for (let position = 0; position < 8; position++) {
      low[position * 256 + byte] = Number(value & 0xffffffffn);
      high[position * 256 + byte] = Number(value >> 32n);
      value = (value >> 8n) ^ (single[Number(value & 0xffn)] ?? 0n);
    }
  }
  const made = { low, high };
  tablesOf.set(algorithm, made);
  return made;
}

/** A checksum of bytes that come piece by piece. */
export class Checksum {
  readonly #tables: Tables;
  #low = 0xffffffff;
  #high: number;

  constructor(readonly algorithm: ChecksumAlgorithm) {
    this.#tables = tables(algorithm);
    this.#high = parameters[algorithm].width === 64n ? 0xffffffff : 0;
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
      const a = 0x700 | (first & 0xff);
      const b = 0x600 | ((first >>> 8) & 0xff);
      const c = 0x500 | ((first >>> 16) & 0xff);
      const d = 0x400 | (first >>> 24);
      const e = 0x300 | (second & 0xff);
      const f = 0x200 | ((second >>> 8) & 0xff);
      const g = 0x100 | ((second >>> 16) & 0xff);
      const h = second >>> 24;
      low = look(tableLow, a, b, c, d, e, f, g, h);
      high = look(tableHigh, a, b, c, d, e, f, g, h);
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
    const { width } = parameters[this.algorithm];
    const state = (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
    return state ^ ((1n << width) - 1n);
  }
}

function look(
  table: Uint32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
  g: number,
  h: number,
): number {
  return (
    (table[a] as number) ^
    (table[b] as number) ^
    (table[c] as number) ^
    (table[d] as number) ^
    (table[e] as number) ^
    (table[f] as number) ^
    (table[g] as number) ^
    (table[h] as number)
  );
}

/** The checksum of `first` followed by `second`, of which the second has `secondLength` bytes, from their checksums alone. */
export function combineChecksums(
  algorithm: ChecksumAlgorithm,
  first: bigint,
  second: bigint,
  secondLength: number,
): bigint {
  return multiply(shift(algorithm, secondLength), first, parameters[algorithm]) ^ second;
}

/** Almost all parts of an upload are of one length. */
let lastShift: { algorithm: ChecksumAlgorithm; bytes: number; factor: bigint } | null = null;

/** What a checksum is multiplied with when so many bytes follow: x to the power of their bits. */
function shift(algorithm: ChecksumAlgorithm, bytes: number): bigint {
  if (lastShift?.algorithm === algorithm && lastShift.bytes === bytes) return lastShift.factor;
  const field = parameters[algorithm];
  let factor = 1n << (field.width - 1n);
  // x to the power of 8: the bits of one byte.
  let power = 1n << (field.width - 9n);
  for (let left = BigInt(bytes); left > 0n; left >>= 1n) {
    if (left & 1n) factor = multiply(factor, power, field);
    power = multiply(power, power, field);
  }
  lastShift = { algorithm, bytes, factor };
  return factor;
}

/** The product of two polynomials over GF(2) modulo the checksum's own, all bit-reversed. */
function multiply(a: bigint, b: bigint, { width, polynomial }: Parameters): bigint {
  let product = 0n;
  let factor = b;
  for (let bit = 1n << (width - 1n); bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= factor;
    factor = factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n;
  }
  return product;
}

/** As it stands in headers and responses of S3: base64 of its bytes, the highest first. */
export function toBase64(algorithm: ChecksumAlgorithm, value: bigint): string {
  const { width } = parameters[algorithm];
  let bytes = "";
  for (let bits = width - 8n; bits >= 0n; bits -= 8n)
    bytes += String.fromCharCode(Number((value >> bits) & 0xffn));
  return btoa(bytes);
}
