/** Small files that are made to keep a browser busy, or to fill its memory. */
import { readFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";
import { pdf, pdfOf } from "../../e2e/sample-files";

export interface HostileFile {
  name: string;
  content: string | Buffer;
  /** what its preview says or shows; a sentence that begins so */
  shows: string;
}

const sample = (name: string) => readFileSync(`tests/support/files/hostile/${name}`);
const svg = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900">${inside}</svg>`;

const TOO_COMPLEX = "This file is too complex to preview.";
const ACUTE = "\u0301";

/** Lines across the whole drawing, in no order. */
function crossingLines(count: number): string {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % 900;
  };
  return `<path d="M0 0${Array.from({ length: count }, () => `L${next()} ${next()}`).join("")}z"/>`;
}

export const hostileDrawings: HostileFile[] = [
  { name: "clips.svg", content: sample("clips.svg"), shows: TOO_COMPLEX },
  { name: "uses.svg", content: sample("uses.svg"), shows: TOO_COMPLEX },
  { name: "lines.svg", content: svg(crossingLines(25_000)), shows: TOO_COMPLEX },
  {
    name: "dashes.svg",
    content: svg(`<g stroke="red" stroke-dasharray=".0001">${'<path d="M0 0h900000"/>'.repeat(900)}</g>`),
    shows: TOO_COMPLEX,
  },
  {
    name: "blur.svg",
    content: svg(
      `<filter id="f"><feGaussianBlur stdDeviation="900"/></filter>${'<rect filter="url(#f)" width="900" height="900"/>'.repeat(2_000)}`,
    ),
    shows: TOO_COMPLEX,
  },
];

export const hostileTexts: HostileFile[] = [
  { name: "hebrew.txt", content: "שלום עולם ".repeat(50_000), shows: "Some lines are too long" },
  { name: "arabic.txt", content: "لا إله إلا الله ".repeat(30_000), shows: "Some lines are too long" },
  { name: "mixed.js", content: "const a = 'ab לא 12'; ".repeat(40_000), shows: "Some lines are too long" },
  { name: "marks.txt", content: `a${ACUTE.repeat(60)}`.repeat(8_000), shows: "Some lines are too long" },
  { name: "one-letter.txt", content: `a${ACUTE.repeat(400_000)}`, shows: "Some lines are too long" },
  { name: "newlines.txt", content: "\n".repeat(1_000_000), shows: "The first lines" },
  { name: "rtl-lines.txt", content: `ש\n${"a\n".repeat(400_000)}`, shows: "The first lines" },
  { name: "cells.csv", content: `a,b\n${`"${"שלום ".repeat(90_000)}",1\n`}`, shows: "שלום" },
  { name: "string.json", content: JSON.stringify({ a: "שלום ".repeat(100_000) }), shows: "שלום" },
  { name: "deep.json", content: sample("deep.json"), shows: "This text is too complex" },
  { name: "paragraph.md", content: "**ab** לא 12 ".repeat(30_000), shows: "לא 12" },
  { name: "words.md", content: "שלום עולם ".repeat(45_000), shows: "שלום" },
];

export const hostileDocuments: HostileFile[] = [
  { name: "marks.docx", content: sample("marks.docx"), shows: ACUTE },
  { name: "empty-runs.docx", content: sample("empty-runs.docx"), shows: TOO_COMPLEX },
  { name: "content.pdf", content: sample("content-7GB.pdf"), shows: TOO_COMPLEX },
  { name: "object-stream.pdf", content: sample("object-stream.pdf"), shows: TOO_COMPLEX },
  { name: "pages.pdf", content: pdf(10_000), shows: "Fit" },
];

/** Texts of 200 kB that keep whoever colours code busy: nested, in one line, or of the kind that patterns try again and again. */
export const hostileCode: HostileFile[] = [
  {
    name: "brackets.js",
    content: "[".repeat(100_000) + "]".repeat(100_000),
    shows: "Some lines are too long",
  },
  { name: "templates.ts", content: "`${".repeat(66_000), shows: "Some lines are too long" },
  {
    name: "brackets.json",
    content: "[".repeat(100_000) + "]".repeat(100_000),
    shows: "This text is too complex",
  },
  { name: "line.js", content: `const a = ${"b + ".repeat(49_000)}1;`, shows: "Some lines are too long" },
  { name: "words.css", content: `a${"-a".repeat(99_000)}`, shows: "Some lines are too long" },
  { name: "tags.xml", content: "<a b=".repeat(40_000), shows: "Some lines are too long" },
  { name: "elements.html", content: "<b>\n".repeat(45_000), shows: "<b>" },
  { name: "strings.py", content: "f'''{".repeat(39_000), shows: "Some lines are too long" },
  { name: "spaces.sh", content: `$((${" ".repeat(190_000)}x`, shows: "Some lines are too long" },
  { name: "generics.java", content: "Map<".repeat(49_000), shows: "Some lines are too long" },
  { name: "names.cpp", content: `auto f() -> ${"a::".repeat(60_000)}`, shows: "Some lines are too long" },
  { name: "quotes.sql", content: "'".repeat(199_999), shows: "Some lines are too long" },
  { name: "lines.yml", content: "- - a: &b\n".repeat(19_000), shows: "- - a" },
];

const uint16 = (value: number) => Buffer.from([value >>> 8, value & 0xff]);
const uint32 = (value: number) => Buffer.concat([uint16(value >>> 16), uint16(value & 0xffff)]);

/** A PNG of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
  };
  const lines = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", Buffer.concat([uint32(width), uint32(height), Buffer.from([1, 0, 0, 0, 0])])),
    chunk("IDAT", lines),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A lossless WebP of one colour, at most 16,384 pixels wide and high: each of its five codes has one symbol. */
function webp(width: number, height: number): Buffer {
  const bits: number[] = [];
  const add = (value: number, length: number) => {
    for (let bit = 0; bit < length; bit++) bits.push((value >>> bit) & 1);
  };
  add(width - 1, 14);
  add(height - 1, 14);
  // no alpha, version 0, no transform, no colour cache, no further codes
  add(0, 1 + 3 + 1 + 1 + 1);
  // simple, one symbol, of eight bits
  for (const symbol of [128, 64, 32, 255]) {
    add(0b101, 3);
    add(symbol, 8);
  }
  add(0b001, 3);
  add(0, 1);
  const data = Buffer.alloc(2 * Math.ceil((Math.ceil(bits.length / 8) + 1) / 2));
  data[0] = 0x2f;
  for (const [at, bit] of bits.entries()) {
    const place = 1 + (at >> 3);
    data[place] = (data[place] ?? 0) | (bit << (at & 7));
  }
  const little = (value: number) => uint32(value).reverse();
  const file = [Buffer.from("RIFF"), little(data.length + 12), Buffer.from("WEBPVP8L"), little(data.length)];
  return Buffer.concat([...file, data]);
}

/** A GIF whose pictures have one pixel each. */
function gif(width: number, height: number, frames: number): Buffer {
  const header = Buffer.from("GIF89a0000\x80\0\0\0\0\0\xff\xff\xff", "latin1");
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  const frame = Buffer.from("21f9040402000000 2c000000000100010000 0202440100".replaceAll(" ", ""), "hex");
  return Buffer.concat([header, ...Array<Buffer>(frames).fill(frame), Buffer.from(";")]);
}

/** A BMP that has no pixels in the file. */
function emptyBmp(width: number, height: number): Buffer {
  const file = Buffer.alloc(54 + 1_024 + 2);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54 + 1_024, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(8, 28);
  file.writeUInt32LE(1, 30);
  file.writeUInt16BE(1, 54 + 1_024);
  return file;
}

const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type), body]);
};
const fullBox = (type: string, ...content: Buffer[]) => box(type, uint32(0), ...content);
const heicType = box("ftyp", Buffer.from("heic"), uint32(0), Buffer.from("mif1heic"));

interface Heic {
  columns: number;
  rows: number;
  /** of the picture, pixels */
  width: number;
  height: number;
  /** of each tile, as the file says; in fact it has 1,400 × 934 */
  tile?: [width: number, height: number];
}

/** A photo of up to 1,000 tiles, each of which is the same coded picture. */
function heic({ columns, rows, width, height, tile = [1_400, 934] }: Heic): Buffer {
  const photo = readFileSync("local/demo-files/Photos/2026/IMG_0412.heic");
  const at = photo.indexOf("hvcC") - 4;
  const settings = photo.subarray(at, at + photo.readUInt32BE(at));
  const coded = photo.subarray(photo.length - 0x85e6);
  const size = (width: number, height: number) => fullBox("ispe", uint32(width), uint32(height));
  const entry = (id: number, type: string) =>
    box("infe", Buffer.from([2, 0, 0, 0]), uint16(id), uint16(0), Buffer.from(`${type}\0`));
  const tiles = Array.from({ length: columns * rows }, (_, index) => index + 1);
  const photoId = tiles.length + 1;
  const metaAt = (place: number) =>
    fullBox(
      "meta",
      fullBox("hdlr", uint32(0), Buffer.from("pict"), Buffer.alloc(13)),
      fullBox("pitm", uint16(photoId)),
      fullBox("iinf", uint16(photoId), ...tiles.map((id) => entry(id, "hvc1")), entry(photoId, "grid")),
      box(
        "iprp",
        box("ipco", settings, size(...tile), size(width, height)),
        fullBox(
          "ipma",
          uint32(photoId),
          ...tiles.flatMap((id) => [uint16(id), Buffer.from([2, 0x81, 2])]),
          uint16(photoId),
          Buffer.from([1, 3]),
        ),
      ),
      fullBox("iref", box("dimg", uint16(photoId), uint16(tiles.length), ...tiles.map(uint16))),
      box("idat", Buffer.from([0, 1, rows - 1, columns - 1]), uint32(width), uint32(height)),
      box(
        "iloc",
        Buffer.from([1, 0, 0, 0, 0x44, 0]),
        uint16(photoId),
        ...tiles.flatMap((id) => [
          ...[uint16(id), uint16(0), uint16(0), uint16(1)],
          ...[uint32(place), uint32(coded.length)],
        ]),
        ...[uint16(photoId), uint16(1), uint16(0), uint16(1), uint32(0), uint32(12)],
      ),
    );
  const meta = metaAt(heicType.length + metaAt(0).length + 8);
  return Buffer.concat([heicType, meta, box("mdat", coded)]);
}

/** Boxes within boxes. */
function deepBoxes(depth: number): Buffer {
  const heads = Array.from({ length: depth }, (_, index) => [
    uint32((depth - index) * 8),
    Buffer.from("iprp"),
  ]);
  return Buffer.concat([heicType, fullBox("meta", ...heads.flat())]);
}

/** A page with a gray image. */
const pdfWithImage = (dictionary: string, data: Buffer) =>
  Buffer.from(
    pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>",
      "<< /Length 27 >>\nstream\nq 200 0 0 200 0 0 cm /I Do Q\nendstream",
      `<< /Type /XObject /Subtype /Image /ColorSpace /DeviceGray /Length ${data.length} ${dictionary} >>\nstream\n${data.toString("latin1")}\nendstream`,
    ]),
    "latin1",
  );

/** A photo that takes a decoder more than a minute. */
export const slowPhoto: HostileFile = {
  name: "tiles.heic",
  content: heic({ columns: 31, rows: 31, width: 7_000, height: 7_000 }),
  shows: TOO_COMPLEX,
};

function jpegSegment(marker: number, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length + 2);
  return Buffer.concat([Buffer.from([0xff, marker]), length, content]);
}

function jpegFrame(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height);
  size.writeUInt16BE(width, 2);
  return jpegSegment(0xc0, [8], size, [1, 1, 0x11, 0]);
}

const jpegStart = Buffer.from([0xff, 0xd8]);
const jpegTable = jpegSegment(0xdb, [0], Buffer.alloc(64, 1));

/** A gray JPEG. @param start up to its frame header */
function grayJpeg(width: number, height: number, ...start: Buffer[]): Buffer {
  const shortCode = [1, ...Buffer.alloc(16)];
  return Buffer.concat([
    ...start,
    jpegFrame(width, height),
    jpegSegment(0xc4, [0x00], shortCode),
    jpegSegment(0xc4, [0x10], shortCode),
    jpegSegment(0xda, [1, 1, 0, 0, 63, 0]),
    // Two bits for each block.
    Buffer.alloc(Math.ceil(width / 8) * Math.ceil(height / 32)),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** Its header says another size to whoever takes the marker after the beginning for one with a length: the next one would be in the comment. */
function jpegOfTwoSizes(width: number, height: number): Buffer {
  const start = Buffer.concat([jpegStart, Buffer.from([0xff, 0xd0]), jpegTable]);
  const next = 4 + start.readUInt16BE(4);
  const comment = jpegSegment(0xfe, Buffer.alloc(next - start.length - 4), jpegFrame(16, 16));
  return grayJpeg(width, height, start, comment);
}

/** Its metadata has a resolution that makes each side `side` pixels long for browsers, as `naturalWidth`. HTML Standard, "density-corrected". */
function jpegWithDensity(width: number, side: number): Buffer {
  const entry = (tag: number, type: number, value: number) => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16BE(tag);
    bytes.writeUInt16BE(type, 2);
    bytes.writeUInt32BE(1, 4);
    bytes.writeUInt32BE(value, 8);
    return bytes;
  };
  const [SHORT, LONG, RATIONAL] = [3, 4, 5];
  const exif = Buffer.concat([
    Buffer.from("Exif\0\0MM\0*\0\0\0\x08\0\x04", "latin1"),
    entry(0x011a, RATIONAL, 62),
    entry(0x011b, RATIONAL, 62),
    entry(0x0128, SHORT, 2 << 16),
    entry(0x8769, LONG, 70),
    Buffer.alloc(4 + 8),
    Buffer.from([0, 2]),
    entry(0xa002, LONG, side),
    entry(0xa003, LONG, side),
    Buffer.alloc(4),
  ]);
  // Dots per inch, of which browsers take 72 for one pixel.
  exif.writeUInt32BE(72 * width, 6 + 62);
  exif.writeUInt32BE(side, 6 + 66);
  return grayJpeg(width, width, jpegStart, jpegSegment(0xe1, exif), jpegTable);
}

const DAMAGED = "It may be damaged.";

export const hostilePictures: HostileFile[] = [
  // Browsers differ in how large a picture they read.
  { name: "wide.png", content: png(50_000, 50_000), shows: TOO_COMPLEX },
  { name: "wide.webp", content: webp(16_384, 16_384), shows: TOO_COMPLEX },
  { name: "wide.jpg", content: jpegOfTwoSizes(20_000, 20_000), shows: DAMAGED },
  { name: "density.jpg", content: jpegWithDensity(20_000, 16), shows: TOO_COMPLEX },
  { name: "wide.bmp", content: emptyBmp(30_000, 30_000), shows: TOO_COMPLEX },
  { name: "frames.gif", content: gif(100, 100, 100_000), shows: TOO_COMPLEX },
  { name: "wide-frames.gif", content: gif(10_900, 10_900, 2), shows: TOO_COMPLEX },
  { name: "named-otherwise.heic", content: png(50_000, 50_000), shows: TOO_COMPLEX },
  {
    name: "wide.heic",
    content: heic({ columns: 1, rows: 1, width: 60_000, height: 60_000 }),
    shows: TOO_COMPLEX,
  },
  {
    name: "small.heic",
    content: heic({ columns: 1, rows: 1, width: 10, height: 10, tile: [10, 10] }),
    shows: DAMAGED,
  },
  {
    name: "large-tile.heic",
    content: heic({ columns: 2, rows: 2, width: 1_000, height: 1_000, tile: [60_000, 60_000] }),
    shows: DAMAGED,
  },
  { name: "deep.heic", content: deepBoxes(10_000), shows: DAMAGED },
  {
    name: "image.pdf",
    content: pdfWithImage(
      "/Width 40000 /Height 40000 /BitsPerComponent 1 /Filter /FlateDecode",
      deflateSync(Buffer.alloc(200_000_000)),
    ),
    shows: "Fit",
  },
  {
    name: "pixels.pdf",
    content: pdfWithImage(
      "/Width 7000 /Height 7000 /BitsPerComponent 8 /Filter /FlateDecode",
      deflateSync(Buffer.alloc(49_000_000)),
    ),
    shows: "Fit",
  },
];

/** One file of each type that has a preview, by a name. */
const previewedTypes =
  "png jpg jpeg gif webp avif svg bmp ico heic heif pdf docx docm xlsx xlsm ods csv tsv json md markdown txt log xml html js ts css py sql yml mp4 webm mov mp3 wav ogg m4a".split(
    " ",
  );

export const emptyFiles = previewedTypes.map((type) => `empty.${type}`);
/** Files of one byte, which are the beginning of nothing. */
export const almostEmptyFiles = previewedTypes.map((type) => `byte.${type}`);
