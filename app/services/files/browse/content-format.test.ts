import { expect, test } from "vitest";
import { contentFormatOf } from "./content-format";

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
