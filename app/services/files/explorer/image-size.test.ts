import { expect, test } from "vitest";
import { imageSize } from "./image-size";

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));

test.each([
  ["PNG", "89504e470d0a1a0a 0000000d49484452 00000280 000001e0 08", 640, 480],
  ["GIF", "474946383961 8002 e001 f7", 640, 480],
  ["BMP", "424d 00000000 00000000 36000000 28000000 80020000 20feffff 0100", 640, 480],
  ["JPEG", "ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 01e0 0280 03", 640, 480],
  ["WebP with extras", "52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100", 640, 480],
  ["WebP without loss", "52494646 00000000 57454250 5650384c 00000000 2f 7fc27700", 640, 480],
  ["WebP", "52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001", 640, 480],
  ["AVIF", "0000001c 6674797061766966 00000000 00000014 69737065 00000000 00000280 000001e0", 640, 480],
])("%s tells its size", (_, hex, width, height) => {
  expect(imageSize(bytes(hex))).toEqual({ width, height });
});

test.each([
  ["nothing", ""],
  ["a text", "68656c6c6f20776f726c64"],
  ["a PNG that is cut off", "89504e470d0a1a0a"],
  ["a JPEG without a frame", "ffd8 ffe0 0004 0000 ffd9"],
])("%s tells none", (_, hex) => {
  expect(imageSize(bytes(hex))).toBeNull();
});
