/*
 * The records of a zip archive whose entries are stored, not compressed (PKWARE's APPNOTE 6.3.10). A file's checksum follows its
 * bytes, because it is not known before; all lengths are known beforehand, and so is that of the whole archive.
 */
import { Crc } from "../../../shared/crc.js";

const ENTRIES_PER_PIECE = 500;

/**
 * Yields the archive of `entries`, exactly `zipLength` bytes. It keeps four bytes of memory for each entry.
 * @param read yields the bytes of the entry with this index, exactly its `size`; called for each entry that has bytes, in their order
 * Rejects before the archive can look complete when an entry has another length.
 */
export async function* zipBytes(
  entries: readonly ZipEntry[],
  read: (index: number) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const checksums = new Uint32Array(entries.length);
  for (const [index, entry] of entries.entries()) {
    yield localHeader(entry);
    if (entry.size === 0) continue;
    const checksum = new Crc("CRC32");
    let length = 0;
    for await (const chunk of read(index)) {
      length += chunk.length;
      if (length > entry.size) break;
      checksum.update(chunk);
      yield chunk;
    }
    if (length !== entry.size) throw new Error(`An entry of ${entry.size} bytes has ${length}.`);
    const crc = Number(checksum.value);
    checksums[index] = crc;
    yield dataDescriptor(entry, crc);
  }
  yield* directoryBytes(entries, checksums);
}

function* directoryBytes(entries: readonly ZipEntry[], checksums: Uint32Array): Generator<Uint8Array> {
  let offset = 0;
  let directory = 0;
  let piece: Uint8Array[] = [];
  for (const [index, entry] of entries.entries()) {
    const header = centralHeader(entry, checksums[index] ?? 0, offset);
    offset += spanOf(entry);
    directory += header.length;
    if (piece.push(header) < ENTRIES_PER_PIECE) continue;
    yield pack(...piece);
    piece = [];
  }
  yield pack(...piece, endRecords(entries.length, offset, directory));
}

export interface ZipEntry {
  /** `folder/file.txt`, or `folder/` for a folder */
  path: string;
  /** bytes; 0 for a folder */
  size: number;
  /** unix milliseconds */
  modified: number;
}

/** The highest value of a field says that the zip64 record has the real one. */
const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;

/** Flags: names are in UTF-8 (bit 11); sizes and checksum follow the bytes (bit 3). */
const UTF_8 = 1 << 11;
const SIZES_FOLLOW = 1 << 3;
const VERSION = 20;
const VERSION_ZIP64 = 45;
/** Unix as the creator, so that permissions count: files `rw-r--r--`, folders `rwxr-xr-x`. */
const MADE_BY = (3 << 8) | VERSION_ZIP64;
const FILE_MODE = 0o100644 * 0x10000;
const FOLDER_MODE = 0o040755 * 0x10000 + 0x10;

const utf8 = new TextEncoder();

/** Whether its sizes need 64 bits. */
const isLarge = ({ size }: ZipEntry) => size >= MAX_UINT32;
const cap16 = (value: number) => Math.min(value, MAX_UINT16);
const cap32 = (value: number) => Math.min(value, MAX_UINT32);

/** Little-endian numbers of `width` bytes each. */
type Numbers = readonly [width: 1 | 2 | 4 | 8, ...values: number[]];

/** Joins bytes and numbers. */
export function pack(...fields: (Uint8Array | Numbers)[]): Uint8Array {
  const lengthOf = (field: Uint8Array | Numbers) =>
    field instanceof Uint8Array ? field.length : field[0] * (field.length - 1);
  const bytes = new Uint8Array(fields.reduce((sum, field) => sum + lengthOf(field), 0));
  let at = 0;
  for (const field of fields) {
    if (field instanceof Uint8Array) {
      bytes.set(field, at);
      at += field.length;
      continue;
    }
    const [width, ...values] = field;
    for (let value of values) {
      for (const end = at + width; at < end; at++) {
        bytes[at] = value % 256;
        value = Math.floor(value / 256);
      }
    }
  }
  return bytes;
}

/** The record before an entry's bytes. */
function localHeader(entry: ZipEntry): Uint8Array {
  // The presence of 64-bit sizes says that those behind the bytes have as many. APPNOTE, section 4.3.9.2.
  const [sizes, wide] = isLarge(entry) ? [MAX_UINT32, [0, 0]] : [0, []];
  const { head, lengths, name, extra } = partsOf(entry, 0, sizes, wide);
  return pack([4, 0x04034b50], ...head, lengths, name, extra);
}

/** An entry's record in the central directory. @param offset of its local header */
function centralHeader(entry: ZipEntry, crc: number, offset: number): Uint8Array {
  const { path, size } = entry;
  const wide = [...(isLarge(entry) ? [size, size] : []), ...(offset >= MAX_UINT32 ? [offset] : [])];
  const { head, lengths, name, extra } = partsOf(entry, crc, cap32(size), wide);
  const mode = path.endsWith("/") ? FOLDER_MODE : FILE_MODE;
  const rest: Numbers[] = [
    [2, 0, 0, 0],
    [4, mode, cap32(offset)],
  ];
  return pack([4, 0x02014b50], [2, MADE_BY], ...head, lengths, ...rest, name, extra);
}

/** The fields that both headers of an entry share. @param wide 64-bit values */
function partsOf({ path, size, modified }: ZipEntry, crc: number, sizes: number, wide: number[]) {
  const name = utf8.encode(path);
  // Seconds in UTC, which the DOS time is not. Info-ZIP, "extended timestamp".
  const time: Numbers[] = [
    [2, 0x5455, 5],
    [1, 1],
    [4, Math.floor(modified / 1000)],
  ];
  const zip64: Numbers[] = [
    [2, 1, wide.length * 8],
    [8, ...wide],
  ];
  const extra = pack(...time, ...(wide.length > 0 ? zip64 : []));
  const head: Numbers[] = [
    [2, wide.length > 0 ? VERSION_ZIP64 : VERSION, size > 0 ? UTF_8 | SIZES_FOLLOW : UTF_8, 0],
    [4, dosTime(modified), crc, sizes, sizes],
  ];
  const lengths: Numbers = [2, name.length, extra.length];
  return { head, lengths, name, extra };
}

/** The record after an entry's bytes; none for an empty entry. */
function dataDescriptor(entry: ZipEntry, crc: number): Uint8Array {
  const { size } = entry;
  return size > 0 ? pack([4, 0x08074b50, crc], [isLarge(entry) ? 8 : 4, size, size]) : pack();
}

/** The archive's end. @param start where the central directory begins, `length` its bytes */
function endRecords(count: number, start: number, length: number): Uint8Array {
  // The record, without its first 12 bytes; then where it is, and that the archive is in one piece.
  const zip64: Numbers[] = [
    [4, 0x06064b50],
    [8, 44],
    [2, MADE_BY, VERSION_ZIP64],
    [4, 0, 0],
    [8, count, count, length, start],
    [4, 0x07064b50, 0],
    [8, start + length],
    [4, 1],
  ];
  const isWide = count >= MAX_UINT16 || start >= MAX_UINT32 || length >= MAX_UINT32;
  const places: Numbers = [4, cap32(length), cap32(start)];
  return pack(
    ...(isWide ? zip64 : []),
    [4, 0x06054b50],
    [2, 0, 0, cap16(count), cap16(count)],
    places,
    [2, 0],
  );
}

/** The entry's bytes before the central directory: header, content and descriptor. */
function spanOf(entry: ZipEntry): number {
  return localHeader(entry).length + entry.size + dataDescriptor(entry, 0).length;
}

/** The length of the archive of these entries, bytes. */
export function zipLength(entries: readonly ZipEntry[]): number {
  let offset = 0;
  let directory = 0;
  for (const entry of entries) {
    directory += centralHeader(entry, 0, offset).length;
    offset += spanOf(entry);
  }
  return offset + directory + endRecords(entries.length, offset, directory).length;
}

/** DOS date and time: local time in steps of two seconds, from 1980 to 2107. */
function dosTime(milliseconds: number): number {
  const time = new Date(milliseconds);
  const year = time.getFullYear() - 1980;
  if (!(year >= 0 && year < 128)) return (1 << 21) | (1 << 16);
  const date = (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
