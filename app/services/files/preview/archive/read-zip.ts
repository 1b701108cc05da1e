import { Inflate } from "fflate";
import { Crc } from "../../../../../embed-element/shared/crc";
import { decodeText, type Encoding, isUtf8 } from "../../browse/decode-text";

/** Reads a ZIP archive in pieces: its end, its directory, single files. Sections are those of PKWARE's APPNOTE 6.3.10. */

/** Bytes of the archive, or of its directory; `end` exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ZipDirectory extends ByteRange {
  /** bytes before the archive, as in one that unpacks itself */
  shift: number;
}

export interface ZipEntry {
  /** with `/` between folders; where its bytes are in the directory, at most `MAX_NAME_BYTES`, if the archive does not say their encoding */
  path: string | ByteRange;
  /** bytes, unpacked */
  size: number;
  /** why it cannot be taken out; `method` is a number */
  obstacle?: "protected" | "too-large" | { method: number };
  packedSize: number;
  method: number;
  crc: number;
  /** of its local header */
  at: number;
}

/** An end record (22 bytes) with the longest comment, and what ZIP64 has before it. */
export const MAX_END_BYTES = 65_557 + 76;
/** Larger directories are not read. */
export const MAX_DIRECTORY_BYTES = 20_000_000;
/** Longer paths are cut if their encoding is not said: it can be chosen, and then the page decodes them. */
export const MAX_NAME_BYTES = 1_000;
/** Further files are not listed. */
export const MAX_ENTRIES = 20_000;
/** Larger files are taken out by other programs, from the whole archive. */
export const MAX_ENTRY_BYTES = 200_000_000;
const LOCAL_HEADER_BYTES = 30;

const STORED = 0;
const DEFLATED = 8;
/** In place of a 32-bit number that is in the ZIP64 field. 4.4.1.4 */
const IN_ZIP64 = 0xffffffff;

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const wide = (view: DataView, at: number) => Number(view.getBigUint64(at, true));

/**
 * Where the directory is. 4.3.14 to 4.3.16
 * @param end the last bytes of the archive, up to `MAX_END_BYTES`
 * @param size of the archive
 * @throws Error if it is no ZIP archive, or a part of one
 */
export function findDirectory(end: Uint8Array, size: number): ZipDirectory {
  const view = viewOf(end);
  const offset = size - end.length;
  for (let at = end.length - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50 || at + 22 + view.getUint16(at + 20, true) > end.length)
      continue;
    let record = {
      at,
      bytes: view.getUint32(at + 12, true),
      start: view.getUint32(at + 16, true),
    };
    const locator = at - 20;
    if (locator >= 56 && view.getUint32(locator, true) === 0x07064b50) {
      const wideAt = findWideRecord(view, locator);
      record = {
        at: wideAt,
        bytes: wide(view, wideAt + 40),
        start: wide(view, wideAt + 48),
      };
    }
    const start = offset + record.at - record.bytes;
    const shift = start - record.start;
    if (start < 0 || shift < 0) throw new Error("The directory is not where its record says.");
    return { start, end: start + record.bytes, shift };
  }
  throw new Error("The archive has no end.");
}

/** The ZIP64 record that ends at `end`. After its 56 bytes, it may have data of other programs. 4.3.14.4 @throws Error if it is missing */
function findWideRecord(view: DataView, end: number): number {
  for (let at = end - 56; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06064b50) continue;
    if (at === end - 56 || at + 12 + wide(view, at + 4) === end) return at;
  }
  throw new Error("The ZIP64 record is missing.");
}

/**
 * The files of a directory, at most `MAX_ENTRIES`, with those that Macs add last. 4.3.12, 4.3.13. How many there are, the end record may say
 * wrongly: other programs would then unpack files that a list does not show.
 * @returns `isCut`: there are more
 * @throws Error if it is damaged
 */
export function readDirectory(
  bytes: Uint8Array,
  { shift }: ZipDirectory,
): { entries: ZipEntry[]; isCut: boolean } {
  const view = viewOf(bytes);
  const list: ZipEntry[] = [];
  let at = 0;
  while (at < bytes.length && list.length < MAX_ENTRIES) {
    const signature = view.getUint32(at, true);
    if (signature === 0x05054b50) break;
    if (signature !== 0x02014b50) throw new Error("The directory is damaged.");
    const flags = view.getUint16(at + 8, true);
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const name = bytes.subarray(at + 46, nameEnd);
    const extra = readExtra(bytes.subarray(nameEnd, extraEnd));
    const values = [
      view.getUint32(at + 24, true),
      view.getUint32(at + 20, true),
      view.getUint32(at + 42, true),
    ];
    const [size = 0, packedSize = 0, start = 0] = withZip64(values, extra.get(0x0001));
    const method = methodOf(view.getUint16(at + 10, true), extra.get(0x9901));
    const isProtected = (flags & 0x01) !== 0;
    const path = readName(name, (flags & 0x800) !== 0, extra.get(0x7075));
    const entry: ZipEntry = {
      path: path ?? { start: at + 46, end: Math.min(nameEnd, at + 46 + MAX_NAME_BYTES) },
      size,
      packedSize,
      method,
      crc: view.getUint32(at + 16, true),
      at: start + shift,
    };
    if (isProtected) entry.obstacle = "protected";
    else if (method !== STORED && method !== DEFLATED) entry.obstacle = { method };
    else if (Math.max(size, packedSize) > MAX_ENTRY_BYTES) entry.obstacle = "too-large";
    if (!isFolder(entry, name)) list.push(entry);
    at = extraEnd + view.getUint16(at + 32, true);
    if (at > bytes.length) throw new Error("The directory is damaged.");
  }
  const entries = [...list.filter((entry) => !isOfMac(entry)), ...list.filter(isOfMac)];
  return { entries, isCut: list.length === MAX_ENTRIES && at < bytes.length };
}

/** Macs add a file with its metadata for each file. They are listed last: other programs unpack them, whatever they contain. */
const isOfMac = ({ path }: ZipEntry) => typeof path === "string" && path.startsWith("__MACOSX/");

/** The extra fields by their ids. 4.5.1 */
function readExtra(bytes: Uint8Array): Map<number, Uint8Array> {
  const view = viewOf(bytes);
  const fields = new Map<number, Uint8Array>();
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = view.getUint16(at + 2, true);
    fields.set(view.getUint16(at, true), bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

/** The ZIP64 field has only those numbers that are missing, in this order. 4.5.3 */
function withZip64(values: number[], field: Uint8Array | undefined): number[] {
  let at = 0;
  return values.map((value) => {
    if (value !== IN_ZIP64 || !field || at + 8 > field.length) return value;
    at += 8;
    return wide(viewOf(field), at - 8);
  });
}

/** Of a file that is encrypted with AES, the method stands in a field. */
const methodOf = (method: number, aes: Uint8Array | undefined) =>
  method === 99 && aes && aes.length >= 7 ? viewOf(aes).getUint16(5, true) : method;

/** @param name the whole one. In some encodings, a character ends with the byte of `\`. */
function isFolder({ path, size }: ZipEntry, name: Uint8Array): boolean {
  if (typeof path === "string") return path.endsWith("/");
  return name.at(-1) === SLASH || (name.at(-1) === BACKSLASH && size === 0);
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;

const decodePath = (name: Uint8Array, encoding: Encoding) =>
  decodeText(name, false, encoding).replaceAll("\\", "/");

/** In which names are that say nothing else. Programs keep to it for Latin letters only. Appendix D */
export const STANDARD_ENCODING = "ibm437";
const latin = /^[\0-\x7f\p{Script=Latin}]*$/u;
/** So are capital letters of other scripts, read in that encoding. Few words have three such letters beside each other. */
const unlikelyLatin = /[^\0-\x7f]{3}/;

function isStandard(name: Uint8Array): boolean {
  const path = decodeText(name, false, STANDARD_ENCODING);
  return latin.test(path) && !unlikelyLatin.test(path);
}

/**
 * @param directory its bytes
 * @param encoding of paths whose encoding the archive does not say
 */
export const pathOf = ({ path }: ZipEntry, directory: Uint8Array, encoding: Encoding | null) =>
  typeof path === "string"
    ? path
    : decodePath(directory.subarray(path.start, path.end), encoding ?? STANDARD_ENCODING);

/**
 * What tells the encoding of the paths that do not say theirs: that of the standard if it makes Latin words of all of them, else some of them
 * to guess from. Null if there are none.
 * @param directory its bytes
 */
export function findEncoding(
  entries: ZipEntry[],
  directory: Uint8Array,
): Encoding | Uint8Array<ArrayBuffer> | null {
  const names = entries.flatMap(({ path }) =>
    typeof path === "string" ? [] : [directory.subarray(path.start, path.end)],
  );
  if (names.length === 0) return null;
  const sample = new Uint8Array(MAX_SAMPLE_BYTES);
  let length = 0;
  for (const name of names) {
    if (length + name.length >= sample.length) break;
    if (isStandard(name)) continue;
    sample.set(name, length);
    sample[length + name.length] = NEWLINE;
    length += name.length + 1;
  }
  return length === 0 ? STANDARD_ENCODING : sample.slice(0, length);
}

const NEWLINE = 0x0a;
/** As many as are read to guess. */
const MAX_SAMPLE_BYTES = 65_536;

/** Programs of Macs write UTF-8 without saying so. Null if the encoding is not said. @param unicode the field with the name in UTF-8, 4.6.9 */
function readName(name: Uint8Array, isDeclaredUtf8: boolean, unicode: Uint8Array | undefined): string | null {
  const isOfName =
    unicode !== undefined && unicode.length > 5 && viewOf(unicode).getUint32(1, true) === crc32(name);
  if (isOfName) return decodePath(unicode.subarray(5), "utf-8");
  return isDeclaredUtf8 || isUtf8(name) ? decodePath(name, "utf-8") : null;
}

/** The local header of a file, without its name. */
export const headerRange = ({ at }: ZipEntry): ByteRange => ({ start: at, end: at + LOCAL_HEADER_BYTES });

/**
 * The packed bytes of a file. 4.3.7
 * @param header its local one
 * @throws Error if there is none
 */
export function packedRange(header: Uint8Array, { at, packedSize }: ZipEntry): ByteRange {
  const view = viewOf(header);
  if (view.getUint32(0, true) !== 0x04034b50) throw new Error("There is no file at this place.");
  const start = at + LOCAL_HEADER_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
  return { start, end: start + packedSize };
}

/** @throws RangeError if a file unpacks to more than its directory says, Error if it is damaged */
export function unpackEntry(packed: Uint8Array<ArrayBuffer>, entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const file = entry.method === STORED ? packed : inflate(packed, entry.size);
  if (file.length !== entry.size || crc32(file) !== entry.crc) throw new Error("The file is damaged.");
  return file;
}

/** A few bytes can unpack to gigabytes: in pieces, so that no more than one is too much. */
const PIECE_BYTES = 65_536;

function inflate(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(size);
  let length = 0;
  const stream = new Inflate((chunk) => {
    if (length + chunk.length > size) throw new RangeError("The file unpacks to more than it says.");
    file.set(chunk, length);
    length += chunk.length;
  });
  for (let at = 0; at < packed.length; at += PIECE_BYTES)
    stream.push(packed.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length);
  return file.subarray(0, length);
}

function crc32(bytes: Uint8Array): number {
  const crc = new Crc("CRC32");
  crc.update(bytes);
  return Number(crc.value);
}
