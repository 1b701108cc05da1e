import { expect, test } from "vitest";
import { contentFormatOf, RECOGNIZED_BYTES } from "./content-format";

test.each([
  ["%PDF-1.7\n", "PDF"],
  ["\xff\xd8\xff\xe0", "JPEG"],
  ["\x89PNG\r\n\x1a\n", "PNG"],
  ["\0\0\0\x18ftypheic\0\0\0\0mif1", "HEIC"],
  ["\0\0\0\x18ftypmp42", "MP4"],
  ["\0\0\0\x14ftypqt  ", "QuickTime"],
  ["PK\x03\x04\x14", "ZIP"],
  ["<!doctype HTML>", "HTML"],
  ["#EXTM3U\n#EXT-X-VERSION:3\n", "M3U"],
  [`\xef\xbb\xbf${"\r\n\t ".repeat(200)}#extm3u`, "M3U"],
  ['<?xml version="1.0"?><MPD>', "XML"],
  ["<MPD xmlns", "DASH"],
  ["[playlist]\nFile1=", "PLS"],
  [" \n ", null],
  ["a;b\n1;2", null],
  ["", null],
])("content that begins with %j is %s", (start, format) => {
  expect(contentFormatOf(Uint8Array.from(start, (letter) => letter.charCodeAt(0)))).toBe(format);
});

test("blanks that fill a file are not all looked at", () => {
  const bytes = new Uint8Array(RECOGNIZED_BYTES + 5).fill(0x20);
  bytes.set(new TextEncoder().encode("%PDF-"), RECOGNIZED_BYTES);
  expect(contentFormatOf(bytes)).toBeNull();
});
