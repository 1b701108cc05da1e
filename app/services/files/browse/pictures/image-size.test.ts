import { expect, test } from "vitest";
import { imageSize } from "./image-size";

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));

function gifFrame(width: number, height: number): string {
  const frame = Buffer.from("2c00000000ffffffff00", "hex");
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  return frame.toString("hex");
}

test.each([
  ["PNG", "89504e470d0a1a0a 0000000d49484452 00000280 000001e0 08", 640, 480],
  ["GIF", `474946383961 8002 e001 80 0000 000000ffffff ${gifFrame(640, 480)}`, 640, 480],
  [
    "GIF with a larger frame",
    `474946383961 0100 0100 00 0000 21f90400000000 00 21fe0261620163 00 ${gifFrame(640, 480)}`,
    640,
    480,
  ],
  ["BMP of OS/2", "424d 00000000 00000000 1a000000 0c000000 409c 409c 0100 1800", 40_000, 40_000],
  ["BMP", "424d 00000000 00000000 36000000 28000000 80020000 20feffff 0100", 640, 480],
  ["icon, of whichever size,", "00000100 0100 1010 0000 0100 2000", 256, 256],
  ["JPEG", "ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 01e0 0280 03", 640, 480],
  ["JPEG with bytes before a marker", "ffd8 ffff ffe0 0004 0000 ffffffff c0 0011 08 01e0 0280 03", 640, 480],
  ["WebP with extras", "52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100", 640, 480],
  ["WebP without loss", "52494646 00000000 57454250 5650384c 00000000 2f 7fc27700", 640, 480],
  ["WebP", "52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001", 640, 480],
  [
    "AVIF after its thumbnail",
    "0000001c 6674797061766966 00000014 69737065 00000000 00000001 00000001 00000014 69737065 00000000 00000280 000001e0",
    640,
    480,
  ],
  ["AVIF", "0000001c 6674797061766966 00000000 00000014 69737065 00000000 00000280 000001e0", 640, 480],
  [
    "AVIF that says another size far before its own",
    `0000001c 6674797061766966 00000000 00000014 69737065 00000000 00000001 00000001 00002000 66726565 ${"00".repeat(8_184)} 00000014 69737065 00000000 00000280 000001e0`,
    640,
    480,
  ],
  [
    "AVIF sequence by its track",
    `0000001c 6674797061766973 00000000 00000014 69737065 00000000 00000001 00000001 0000005c 746b6864 00000003 ${"00".repeat(72)} 02800000 01e00000`,
    640,
    480,
  ],
  [
    "AVIF sequence by a track with long times",
    `0000001c 6674797061766973 00000000 00000068 746b6864 01000003 ${"00".repeat(84)} 02800000 01e00000`,
    640,
    480,
  ],
])("%s tells its size", (_, hex, width, height) => {
  expect(imageSize(bytes(hex))).toEqual({ width, height });
});

test.each([
  ["nothing", ""],
  ["a text", "68656c6c6f20776f726c64"],
  ["a PNG that is cut off", "89504e470d0a1a0a"],
  ["a BMP of negative width", "424d 00000000 00000000 36000000 28000000 80fdffff 20feffff 0100"],
  ["a GIF that is cut off", "474946383961 8002 e001 f7"],
  [
    "a PNG whose first chunk is another",
    "89504e470d0a1a0a 0000000443674249 50002002 2bd5b37f 0000000d49484452",
  ],
  [
    "a JPEG with a marker that has no length, and a frame for those who take the next marker for one",
    `ffd8 ffd0 ffe0 ${"00".repeat(0xffe0 - 2)} ffc0 0011 08 01e0 0280 03`,
  ],
  ["a JPEG without a frame", "ffd8 ffe0 0004 0000 ffd9"],
])("%s tells none", (_, hex) => {
  expect(imageSize(bytes(hex))).toBeNull();
});
