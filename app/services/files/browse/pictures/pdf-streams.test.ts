import { brotliCompressSync, deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { pdf } from "../../../../../tests/e2e/sample-files";
import { MAX_STREAM_BYTES, unpacksTooFar } from "./pdf-streams";

const object = (stream: Uint8Array, dictionary = "/Filter /FlateDecode") =>
  Buffer.concat([
    Buffer.from(`4 0 obj\n<< ${dictionary} /Length ${stream.length} >>\nstream\n`),
    stream,
    Buffer.from("\nendstream\nendobj\n"),
  ]);
const bytesOf = (...parts: (Uint8Array | string)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array))));
const zeros = (length: number) => deflateSync(Buffer.alloc(length));

/** A stream with something between its keyword and its first line. */
const behindKeyword = (text: string) =>
  bytesOf("4 0 obj\n<< /Filter /FlateDecode >>\nstream", text, zeros(MAX_STREAM_BYTES + 1), "\nendstream\n");

const inHex = (bytes: Uint8Array) => Buffer.from(`${Buffer.from(bytes).toString("hex")}>`);
/** Groups of four bytes; what is left over ends no compressed stream before its content. */
function inBase85(bytes: Uint8Array): Buffer {
  const source = Buffer.from(bytes);
  let text = "\n";
  for (let at = 0; at + 4 <= source.length; at += 4) {
    let value = source.readUInt32BE(at);
    const group = Array.from({ length: 5 }, () => {
      const digit = value % 85;
      value = Math.floor(value / 85);
      return String.fromCharCode(digit + 0x21);
    });
    text += group.reverse().join("");
  }
  return Buffer.from(`${text}~>`);
}
const inAscii = (name: "AHx" | "A85", bytes: Uint8Array) =>
  object(name === "AHx" ? inHex(bytes) : inBase85(bytes), `/Filter [/${name} /FlateDecode]`);

/** In LZW. As most writers do, it clears the table when it is full. */
function inLzw(bytes: Uint8Array, earlyChange: 0 | 1 = 1): Buffer {
  const written: number[] = [];
  let [bits, count, width] = [0, 0, 9];
  /** by the code of what is before, and the byte that follows */
  const table = new Map<number, number>();
  let next = 258;
  const write = (code: number) => {
    bits = (bits << width) | code;
    for (count += width; count >= 8; count -= 8) written.push((bits >>> (count - 8)) & 255);
    bits &= 2 ** count - 1;
  };
  const clear = () => {
    write(256);
    table.clear();
    [next, width] = [258, 9];
  };
  clear();
  let code = -1;
  for (const byte of bytes) {
    const longer = code === -1 ? byte : table.get(code * 256 + byte);
    if (longer !== undefined) {
      code = longer;
      continue;
    }
    write(code);
    table.set(code * 256 + byte, next++);
    code = byte;
    // The reader's table has one code less.
    if (next - 1 + earlyChange >= 2 ** width) width++;
    if (next === 4_094) {
      write(code);
      code = -1;
      clear();
    }
  }
  if (code !== -1) write(code);
  if (next + earlyChange >= 2 ** width) width++;
  write(257);
  write(0);
  return Buffer.from(written);
}
const repeated = (length: number) => Buffer.concat(Array(Math.ceil(length / 128)).fill(Buffer.of(129, 65)));

test("an ordinary PDF is read to its end", () => {
  expect(unpacksTooFar(bytesOf(pdf(3)))).toBe(false);
  const drawing = object(deflateSync(Buffer.from("0 0 m 1 1 l S\n".repeat(10_000))));
  expect(unpacksTooFar(bytesOf("%PDF-1.7\n", drawing, drawing))).toBe(false);
  const text = inAscii("A85", deflateSync(Buffer.from("BT (a) Tj ET\n".repeat(10_000))));
  const lzw = object(inLzw(Buffer.from("0 0 m 1 1 l S\n".repeat(10_000))), "/Filter /LZWDecode");
  expect(unpacksTooFar(bytesOf("%PDF-1.4\n", lzw, lzw))).toBe(false);
  expect(
    unpacksTooFar(bytesOf("%PDF-1.7\n", text, object(Buffer.from("q 1 0 0 1 0 0 cm".repeat(99)), ""))),
  ).toBe(false);
});

test("an image may have more bytes than a drawing", () => {
  const bytes = zeros(MAX_STREAM_BYTES + 1);
  expect(unpacksTooFar(bytesOf(object(bytes, "/Subtype /Image /Filter /FlateDecode")))).toBe(false);
  expect(unpacksTooFar(bytesOf(object(bytes)))).toBe(true);
});

test.each([
  ["is compressed twice", () => object(deflateSync(zeros(MAX_STREAM_BYTES * 2)))],
  ["is compressed three times", () => object(deflateSync(deflateSync(zeros(MAX_STREAM_BYTES * 2))))],
  ["is compressed twice, in one piece", () => object(deflateSync(zeros(MAX_STREAM_BYTES * 4), { level: 9 }))],
  ["is written in hexadecimal digits", () => inAscii("AHx", zeros(MAX_STREAM_BYTES * 2))],
  ["is written in base 85", () => inAscii("A85", deflateSync(zeros(MAX_STREAM_BYTES * 2)))],
  ["is written so within what is compressed", () => object(deflateSync(inHex(zeros(MAX_STREAM_BYTES * 2))))],
  ["is written so twice", () => inAscii("AHx", inHex(deflateSync(zeros(MAX_STREAM_BYTES * 2))))],
  [
    "begins with a byte of its own",
    () => object(deflateSync(bytesOf(zeros(MAX_STREAM_BYTES * 2)), { strategy: 2 })),
  ],
  ["is in LZW", () => object(inLzw(Buffer.alloc(MAX_STREAM_BYTES + 1)), "/Filter /LZWDecode")],
  [
    "is in LZW, without early change",
    () => object(inLzw(zeros(MAX_STREAM_BYTES * 2), 0), "/Filter /LZW /DecodeParms << /EarlyChange 0 >>"),
  ],
  ["is in LZW, by another spelling", () => object(inLzw(zeros(MAX_STREAM_BYTES * 2)), "/Filter /#4cZW")],
  [
    "is in LZW and base 85",
    () => object(inBase85(inLzw(zeros(MAX_STREAM_BYTES * 2))), "/Filter [/A85 /LZW /FlateDecode]"),
  ],
  [
    "has run lengths",
    () => object(deflateSync(repeated(MAX_STREAM_BYTES * 2)), "/Filter [/Fl /RunLengthDecode]"),
  ],
  [
    "has run lengths in LZW",
    () => object(inLzw(repeated(MAX_STREAM_BYTES * 2)), "/Filter [/LZWDecode /RunLengthDecode]"),
  ],
  ["is cut off", () => object(zeros(MAX_STREAM_BYTES * 2).subarray(0, 100_000))],
  ["begins on the next line after a blank", () => behindKeyword(" \r\n")],
  ["begins on the next line after other words", () => behindKeyword(` ${"stream of bytes ".repeat(500)}\n`)],
  ["is in Brotli", () => object(brotliCompressSync(Buffer.alloc(1_000)), "/Filter /#42rotliDec#6Fde")],
  [
    "is in Brotli, by the name that another object has",
    () =>
      bytesOf(
        "5 0 obj\n/BrotliDecode\nendobj\n",
        object(brotliCompressSync(Buffer.alloc(9)), "/Filter 5 0 R"),
      ),
  ],
  [
    "comes after damaged ones",
    () => bytesOf(object(Buffer.from("x\x9c??????")), object(zeros(MAX_STREAM_BYTES + 1))),
  ],
])("a stream that %s is noticed", (_, file) => {
  const bytes = bytesOf("%PDF-1.7\n", file());
  expect(bytes.length).toBeLessThan(300_000);
  expect(unpacksTooFar(bytes)).toBe(true);
});

test("many streams are too much together", () => {
  const image = object(zeros(200_000_000), "/Subtype /Image /Filter /FlateDecode");
  expect(unpacksTooFar(bytesOf(...Array(3).fill(image)))).toBe(true);
});
