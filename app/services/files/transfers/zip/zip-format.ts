/**
 * The records of a zip archive whose entries are stored, not compressed (PKWARE's APPNOTE 6.3.10). A file's checksum follows its
 * bytes, because it is not known before; all lengths are known beforehand, and so is that of the whole archive.
 */

export interface ZipEntry {
  /** `folder/file.txt`, or `folder/` for a folder */
  path: string;
  /** bytes; 0 for a folder */
  size: number;
  /** unix milliseconds */
  modified: number;
}

/** What fits into 16 and 32 bits; the highest value of each says that the zip64 record has the true one. */
const MOST_16 = 0xffff;
const MOST_32 = 0xffffffff;

/** Names are in UTF-8 (bit 11). Sizes and checksum stand behind the bytes (bit 3). */
const UTF_8 = 1 << 11;
const SIZES_FOLLOW = 1 << 3;
const VERSION = 20;
const VERSION_ZIP64 = 45;
/** Made on Unix, so that there are permissions: files `rw-r--r--`, folders `rwxr-xr-x`. */
const MADE_BY = (3 << 8) | VERSION_ZIP64;
const FILE_MODE = 0o100644 << 16;
const FOLDER_MODE = (0o040755 << 16) | 0x10;

const LOCAL_HEADER = 30;
const CENTRAL_HEADER = 46;
const TIME_FIELD = 9;
const ZIP64_FIELD_HEAD = 4;
const DESCRIPTOR = 16;
const DESCRIPTOR_ZIP64 = 24;
const END = 22;
const END_ZIP64 = 56 + 20;

const utf8 = new TextEncoder();

/** Fields in a row, little-endian. */
class Fields {
  readonly bytes: Uint8Array;
  #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  u16(...values: number[]): this {
    for (const value of values) {
      this.#view.setUint16(this.#at, value, true);
      this.#at += 2;
    }
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) {
      this.#view.setUint32(this.#at, value, true);
      this.#at += 4;
    }
    return this;
  }

  u64(...values: number[]): this {
    for (const value of values) {
      this.#view.setBigUint64(this.#at, BigInt(value), true);
      this.#at += 8;
    }
    return this;
  }

  text(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }
}

/** A file of 4 GiB or more has 64-bit sizes. */
const isLarge = ({ size }: ZipEntry) => size >= MOST_32;
/** What has no bytes has no checksum to wait for. */
const hasDescriptor = ({ size }: ZipEntry) => size > 0;
const cap16 = (value: number) => Math.min(value, MOST_16);
const cap32 = (value: number) => Math.min(value, MOST_32);
const flagsOf = (entry: ZipEntry) => UTF_8 | (hasDescriptor(entry) ? SIZES_FOLLOW : 0);

/** What stands before an entry's bytes. */
export function localHeader(entry: ZipEntry): Uint8Array {
  const name = utf8.encode(entry.path);
  const large = isLarge(entry);
  const extra = TIME_FIELD + (large ? ZIP64_FIELD_HEAD + 16 : 0);
  const size = large ? MOST_32 : 0;
  const fields = new Fields(LOCAL_HEADER + name.length + extra)
    .u32(0x04034b50)
    .u16(large ? VERSION_ZIP64 : VERSION, flagsOf(entry), 0)
    .u32(dosTime(entry.modified), 0, size, size)
    .u16(name.length, extra)
    .text(name);
  writeTime(fields, entry);
  // Its presence says that the sizes behind the bytes have 64 bits. APPNOTE, section 4.3.9.2.
  if (large) fields.u16(1, 16).u64(0, 0);
  return fields.bytes;
}

/** What stands behind an entry's bytes; empty when there are none. */
export function dataDescriptor(entry: ZipEntry, crc: number): Uint8Array {
  const fields = new Fields(descriptorLength(entry));
  if (!hasDescriptor(entry)) return fields.bytes;
  fields.u32(0x08074b50, crc);
  return (isLarge(entry) ? fields.u64(entry.size, entry.size) : fields.u32(entry.size, entry.size)).bytes;
}

/** An entry's line in the central directory. @param offset where its local header is */
export function centralHeader(entry: ZipEntry, crc: number, offset: number): Uint8Array {
  const name = utf8.encode(entry.path);
  const large = isLarge(entry);
  const far = offset >= MOST_32;
  const sizes = large ? [entry.size, entry.size] : [];
  const wide = far ? [...sizes, offset] : sizes;
  const extra = TIME_FIELD + zip64FieldLength(wide.length);
  const fields = new Fields(CENTRAL_HEADER + name.length + extra)
    .u32(0x02014b50)
    .u16(MADE_BY, large || far ? VERSION_ZIP64 : VERSION, flagsOf(entry), 0)
    .u32(dosTime(entry.modified), crc, cap32(entry.size), cap32(entry.size))
    .u16(name.length, extra, 0, 0, 0)
    .u32(entry.path.endsWith("/") ? FOLDER_MODE : FILE_MODE, cap32(offset))
    .text(name);
  writeTime(fields, entry);
  if (wide.length > 0) fields.u16(1, wide.length * 8).u64(...wide);
  return fields.bytes;
}

/** The archive's end. @param start where the central directory begins, `length` its bytes */
export function endRecords(count: number, start: number, length: number): Uint8Array {
  const wide = needsZip64End(count, start, length);
  const fields = new Fields(END + (wide ? END_ZIP64 : 0));
  if (wide) {
    // The record, without its first 12 bytes; then where it is, and that the archive is in one piece.
    fields.u32(0x06064b50).u64(44).u16(MADE_BY, VERSION_ZIP64).u32(0, 0).u64(count, count, length, start);
    fields
      .u32(0x07064b50, 0)
      .u64(start + length)
      .u32(1);
  }
  return fields.u32(0x06054b50).u16(0, 0, cap16(count), cap16(count)).u32(cap32(length), cap32(start)).u16(0)
    .bytes;
}

/** How many bytes the archive of these entries has. */
export function zipLength(entries: Iterable<ZipEntry>): number {
  let count = 0;
  let offset = 0;
  let directory = 0;
  for (const entry of entries) {
    count++;
    directory += centralHeaderLength(entry, offset);
    offset += entryLength(entry);
  }
  return offset + directory + END + (needsZip64End(count, offset, directory) ? END_ZIP64 : 0);
}

/** How many bytes an entry takes before the central directory. */
export function entryLength(entry: ZipEntry): number {
  const zip64 = isLarge(entry) ? zip64FieldLength(2) : 0;
  return LOCAL_HEADER + nameLength(entry) + TIME_FIELD + zip64 + entry.size + descriptorLength(entry);
}

function centralHeaderLength(entry: ZipEntry, offset: number): number {
  const wide = (isLarge(entry) ? 2 : 0) + (offset >= MOST_32 ? 1 : 0);
  return CENTRAL_HEADER + nameLength(entry) + TIME_FIELD + zip64FieldLength(wide);
}

function descriptorLength(entry: ZipEntry): number {
  if (!hasDescriptor(entry)) return 0;
  return isLarge(entry) ? DESCRIPTOR_ZIP64 : DESCRIPTOR;
}

function zip64FieldLength(values: number): number {
  return values === 0 ? 0 : ZIP64_FIELD_HEAD + values * 8;
}

function needsZip64End(count: number, start: number, length: number): boolean {
  return count >= MOST_16 || start >= MOST_32 || length >= MOST_32;
}

function nameLength({ path }: ZipEntry): number {
  return utf8.encode(path).length;
}

/** Seconds in UTC, which the DOS time is not. Info-ZIP, "extended timestamp". */
function writeTime(fields: Fields, { modified }: ZipEntry): void {
  fields
    .u16(0x5455, 5)
    .text(Uint8Array.of(1))
    .u32(Math.floor(modified / 1000));
}

/** Two 16-bit fields, date and time, in the reader's own time zone and in steps of two seconds; from 1980 to 2107. */
function dosTime(milliseconds: number): number {
  const time = new Date(milliseconds);
  const year = time.getFullYear() - 1980;
  if (!(year >= 0 && year < 128)) return (1 << 21) | (1 << 16);
  const date = (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
