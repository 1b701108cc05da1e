import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { type Line, readLines } from "./read-lines.server";

async function read(chunks: (string | Uint8Array)[], maxBytes = 1_000) {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: Line[] = await Readable.from(readLines(source(), maxBytes)).toArray();
  return lines.map(({ number, text }) => [number, text]);
}

it("gives each line once, however the text is cut into chunks", async () => {
  const text = "one\r\n\n tw\u00f6 \nthree";
  const whole = await read([text]);
  expect(whole).toEqual([
    [1, "one"],
    [2, ""],
    [3, "tw\u00f6"],
    [4, "three"],
  ]);
  const bytes = Buffer.from(text);
  for (let at = 1; at < bytes.length; at++)
    expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
});

it("has no line of a text without one, nor a last one behind the last line feed", async () => {
  expect(await read([])).toEqual([]);
  expect(await read(["a\n"])).toEqual([[1, "a"]]);
});

it("begins behind a byte order mark", async () => {
  expect(await read(["\uFEFF{}\n"])).toEqual([[1, "{}"]]);
});

it("keeps nothing of a line that is too long, and goes on behind it", async () => {
  expect(await read(["12345", "678\nshort\n", "x".repeat(8)], 7)).toEqual([
    [1, null],
    [2, "short"],
    [3, null],
  ]);
  expect(await read(["1234567"], 7)).toEqual([[1, "1234567"]]);
});

it("gives no text where the bytes are no UTF-8", async () => {
  expect(await read([Uint8Array.of(0xe9, 0x0a, 0x61)])).toEqual([
    [1, null],
    [2, "a"],
  ]);
});
