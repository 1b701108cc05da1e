import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { Crc } from "../../../../../embed-element/shared/crc";
import { encodeText } from "../../../../../tests/support/files/encode-text";
import { decodeText, type Encoding } from "../../browse/decode-text";
import { guessEncoding } from "../../browse/guess-encoding";
import {
  findDirectory,
  findEncoding,
  headerRange,
  MAX_END_BYTES,
  MAX_ENTRIES,
  MAX_ENTRY_BYTES,
  MAX_NAME_BYTES,
  packedRange,
  pathOf,
  readDirectory,
  unpackEntry,
  type ZipEntry,
} from "./read-zip";

type Bytes = Uint8Array<ArrayBuffer>;

function readAll(archive: Uint8Array) {
  const directory = findDirectory(archive.slice(-MAX_END_BYTES), archive.length);
  const bytes = archive.slice(directory.start, directory.end);
  return { bytes, entries: readDirectory(bytes, directory).entries };
}

const read = (archive: Uint8Array) => readAll(archive).entries;

function pathsIn(archive: Uint8Array, encoding: Encoding | null): string[] {
  const { bytes, entries } = readAll(archive);
  return entries.map((entry) => pathOf(entry, bytes, encoding));
}

function unpack(archive: Uint8Array, entry: ZipEntry): string {
  const header = headerRange(entry);
  const { start, end } = packedRange(archive.slice(header.start, header.end), entry);
  return new TextDecoder().decode(unpackEntry(archive.slice(start, end) as Bytes, entry));
}

interface Made {
  name: Uint8Array;
  content?: Uint8Array;
  flags?: number;
  method?: number;
  extra?: number[];
  /** in the directory */
  size?: number;
  packedSize?: number;
}

/** An archive of stored files, with what no library writes. */
function made(
  files: Made[],
  { comment = "", isWide = false, wideSector = 0, count = files.length } = {},
): Bytes {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  const push = (
    list: Uint8Array[],
    length: number,
    fill: (view: DataView) => void,
    ...rest: Uint8Array[]
  ) => {
    const bytes = new Uint8Array(length);
    fill(new DataView(bytes.buffer));
    list.push(bytes, ...rest);
    return length + rest.reduce((sum, each) => sum + each.length, 0);
  };
  for (const {
    name,
    content = strToU8("content"),
    flags = 0,
    method = 0,
    extra = [],
    size,
    packedSize,
  } of files) {
    push(
      directory,
      46,
      (view) => {
        view.setUint32(0, 0x02014b50, true);
        view.setUint16(8, flags, true);
        view.setUint16(10, method, true);
        view.setUint32(16, crcOf(content), true);
        view.setUint32(20, packedSize ?? content.length, true);
        view.setUint32(24, size ?? content.length, true);
        view.setUint16(28, name.length, true);
        view.setUint16(30, extra.length, true);
        view.setUint32(42, at, true);
      },
      name,
      Uint8Array.from(extra),
    );
    at += push(
      parts,
      30,
      (view) => {
        view.setUint32(0, 0x04034b50, true);
        view.setUint16(26, name.length, true);
      },
      name,
      content,
    );
  }
  const length = directory.reduce((sum, each) => sum + each.length, 0);
  const ends: Uint8Array[] = [];
  if (isWide) {
    push(ends, 56 + wideSector, (view) => {
      view.setUint32(0, 0x06064b50, true);
      view.setBigUint64(4, BigInt(44 + wideSector), true);
      view.setBigUint64(32, BigInt(count), true);
      view.setBigUint64(40, BigInt(length), true);
      view.setBigUint64(48, BigInt(at), true);
    });
    push(ends, 20, (view) => view.setUint32(0, 0x07064b50, true));
  }
  push(
    ends,
    22,
    (view) => {
      view.setUint32(0, 0x06054b50, true);
      view.setUint16(10, isWide ? 0xffff : count, true);
      view.setUint32(12, isWide ? 0xffffffff : length, true);
      view.setUint32(16, isWide ? 0xffffffff : at, true);
      view.setUint16(20, comment.length, true);
    },
    strToU8(comment),
  );
  return new Uint8Array(Buffer.concat([...parts, ...directory, ...ends]));
}

function crcOf(bytes: Uint8Array): number {
  const crc = new Crc("CRC32");
  crc.update(bytes);
  return Number(crc.value);
}

test("files are listed and taken out, stored or deflated, and folders are not listed", () => {
  const archive = zipSync({
    "a/": new Uint8Array(),
    "a/b.txt": strToU8("b".repeat(5_000)),
    "c.txt": [strToU8("c"), { level: 0 }],
  });
  const entries = read(archive);
  expect(entries.map(({ path, size, obstacle }) => [path, size, obstacle])).toEqual([
    ["a/b.txt", 5_000, undefined],
    ["c.txt", 1, undefined],
  ]);
  expect(entries.map((entry) => unpack(archive, entry))).toEqual(["b".repeat(5_000), "c"]);
});

test("bytes before the archive, and a comment after it", () => {
  const archive = made([{ name: strToU8("a.txt") }], { comment: "PK\u0005\u0006 as a comment" });
  const whole = new Uint8Array([...strToU8("#!/bin/sh\n"), ...archive]);
  expect(read(whole).map((entry) => unpack(whole, entry))).toEqual(["content"]);
});

test("ZIP64: numbers that need more than 32 bits", () => {
  const wideSizes = [1, 0, 16, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];
  const archive = made(
    [
      { name: strToU8("a.txt") },
      { name: strToU8("huge.bin"), size: 0xffffffff, packedSize: 0xffffffff, extra: wideSizes },
    ],
    { isWide: true },
  );
  const [small, huge] = read(archive);
  expect(small && unpack(archive, small)).toBe("content");
  expect(huge).toMatchObject({ size: 2 ** 33, packedSize: 2 ** 33 + 1, obstacle: "too-large" });
});

test("ZIP64: data of other programs after the record", () => {
  const archive = made([{ name: strToU8("a.txt") }], { isWide: true, wideSector: 40 });
  expect(read(archive).map((entry) => [entry.path, unpack(archive, entry)])).toEqual([["a.txt", "content"]]);
});

describe("the number of files in the end record", () => {
  const files = ["a.txt", "b.txt", "c.txt"].map((name) => ({ name: strToU8(name) }));
  // Programs that know no ZIP64 write what is left of the number in 16 bits.
  test.each([0, 1, 3, 4, 65_535])("hides no file and adds none: %i", (count) => {
    const paths = (archive: Bytes) => read(archive).map(({ path }) => path);
    expect(paths(made(files, { count }))).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect(paths(made(files, { count, isWide: true }))).toEqual(["a.txt", "b.txt", "c.txt"]);
  });
});

test("more files than are listed are cut, whatever their number is said to be", () => {
  const archive = made(
    Array.from({ length: MAX_ENTRIES + 1 }, () => ({ name: strToU8("a") })),
    { count: 1 },
  );
  const directory = findDirectory(archive, archive.length);
  const { entries, isCut } = readDirectory(archive.slice(directory.start, directory.end), directory);
  expect([entries.length, isCut]).toEqual([MAX_ENTRIES, true]);
});

test("files that Macs add are listed after all others", () => {
  const names = ["a.txt", "__MACOSX/._a.txt", "b.txt"];
  expect(pathsIn(made(names.map((name) => ({ name: strToU8(name) }))), null)).toEqual([
    "a.txt",
    "b.txt",
    "__MACOSX/._a.txt",
  ]);
});

test("a signature after the files of a directory is none of them", () => {
  const archive = made([{ name: strToU8("a.txt") }]);
  const { start, end, shift } = findDirectory(archive, archive.length);
  const directory = new Uint8Array([...archive.slice(start, end), 0x50, 0x4b, 5, 5, 0, 0]);
  expect(readDirectory(directory, { start, end, shift }).entries.map(({ path }) => path)).toEqual(["a.txt"]);
});

test("a directory whose last file is longer than it is damaged", () => {
  const archive = made([{ name: strToU8("a.txt") }]);
  const { start, end, shift } = findDirectory(archive, archive.length);
  expect(() => readDirectory(archive.slice(start, end - 1), { start, end, shift })).toThrow("damaged");
});

describe("names", () => {
  const umlaut = Uint8Array.from([0x47, 0x72, 0x94, 0xe1, 0x65]);
  const unicode = strToU8("Größe");
  const crc = crcOf(umlaut);
  const field = [1, crc & 0xff, (crc >>> 8) & 0xff, (crc >>> 16) & 0xff, crc >>> 24, ...strToU8("Łódź")];
  test.each([
    ["in UTF-8 that is declared", { name: unicode, flags: 0x800 }, "Größe"],
    ["in UTF-8 that is not declared", { name: unicode }, "Größe"],
    ["in IBM 437", { name: umlaut }, "Größe"],
    ["in the Unicode field", { name: umlaut, extra: [0x75, 0x70, field.length, 0, ...field] }, "Łódź"],
    [
      "in a Unicode field of another name",
      { name: strToU8("a"), extra: [0x75, 0x70, field.length, 0, ...field] },
      "a",
    ],
    ["with the separators of Windows", { name: strToU8("a\\b.txt") }, "a/b.txt"],
  ])("%s", (_, file, path) => {
    expect(pathsIn(made([file]), null)).toEqual([path]);
  });
});

describe("names that do not say their encoding", () => {
  const named = (...names: Uint8Array[]) => made(names.map((name) => ({ name })));
  const found = (...names: Uint8Array[]) => {
    const { bytes, entries } = readAll(named(...names));
    return findEncoding(entries, bytes);
  };

  test("can be read in another one", () => {
    const archive = named(encodeText("Договор\\счёт.txt", "ibm866"), strToU8("Größe"));
    expect(pathsIn(archive, "ibm866")).toEqual(["Договор/счёт.txt", "Größe"]);
  });

  test("are in that of the standard if they are words in Latin letters in it", () => {
    expect(found(encodeText("Größe.txt", "ibm437"), encodeText("créée.txt", "ibm437"))).toBe("ibm437");
    expect(found(strToU8("Größe"))).toBeNull();
  });

  test.each(["Договор.txt", "ДОГОВОР.TXT"])("are guessed from those that are no such words: %s", (name) => {
    const bytes = encodeText(name, "ibm866");
    const sample = found(encodeText("Größe.txt", "ibm437"), bytes);
    expect(sample).toEqual(new Uint8Array([...bytes, 0x0a]));
    const guess = guessEncoding(sample as Uint8Array);
    expect(guess && decodeText(bytes, false, guess)).toBe(name);
  });

  test("are cut, and a part of them tells the encoding, so that the page has little to decode", () => {
    const names = Array.from({ length: 400 }, () => new Uint8Array(9_500).fill(0x82));
    expect(new Set(pathsIn(named(...names), "ibm437"))).toEqual(new Set(["é".repeat(MAX_NAME_BYTES)]));
    expect(found(...names)?.length).toBeLessThanOrEqual(65_536);
  });

  test("are no folders for ending with a character whose last byte is a backslash", () => {
    const name = encodeText("請求書一覧表", "shift_jis");
    expect(pathsIn(named(name), "shift_jis")).toEqual(["請求書一覧表"]);
  });
});

describe("what cannot be taken out", () => {
  test.each([
    ["an encrypted file", { flags: 1 }, "protected"],
    [
      "a file that is encrypted with AES",
      { flags: 1, method: 99, extra: [0x01, 0x99, 7, 0, 2, 0, 65, 69, 3, 8, 0] },
      "protected",
    ],
    ["an unknown method", { method: 14 }, { method: 14 }],
    ["a file that is too large", { size: MAX_ENTRY_BYTES + 1 }, "too-large"],
  ])("%s", (_, file, obstacle) => {
    expect(read(made([{ name: strToU8("a"), ...file }]))[0]?.obstacle).toEqual(obstacle);
  });

  test("a file that unpacks to more than it says ends early", () => {
    const archive = zipSync({ "a.txt": new Uint8Array(10_000_000) });
    const [entry] = read(archive);
    expect(() => entry && unpack(archive, { ...entry, size: 1_000 })).toThrow(RangeError);
  });

  test("a file that is damaged", () => {
    const archive = zipSync({ "a.txt": [strToU8("content"), { level: 0 }] });
    const [entry] = read(archive);
    archive[36] = 0;
    expect(() => entry && unpack(archive, entry)).toThrow("damaged");
    expect(() => entry && unpack(archive, { ...entry, at: 3 })).toThrow("no file");
  });
});

test.each([
  ["nothing", new Uint8Array()],
  ["a text", strToU8("no archive".repeat(10))],
  ["the beginning of one", zipSync({ "a.txt": strToU8("a") }).slice(0, 40)],
  ["one whose directory is elsewhere", zipSync({ "a.txt": strToU8("a") }).slice(20)],
])("%s is no archive", (_, bytes) => {
  expect(() => read(bytes)).toThrow();
});
