import { expect, test } from "vitest";
import { frameCount } from "./frame-count";

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const gifFrame = "2c 00000000 01000100 00 02 02 4401 00";
const control = "21 f9 04 00000000 00";
const gif = (frames: string) => bytes(`474946383961 0100 0100 80 0000 000000ffffff ${frames}`);
const chunk = (type: string) => `00000001 ${Buffer.from(type).toString("hex")} 00 00000000`;
const part = (type: string) => `${Buffer.from(type).toString("hex")} 01000000 0000`;
const samples = "7374737a 00000000 00000000 00000006";
const avif = (boxes: string) => bytes(`00000010 6674797061766966 00000000 ${boxes}`);

test.each([
  ["a GIF of one picture", gif(`${gifFrame} 3b`), 1],
  ["a GIF of three", gif(`21ff 02 6162 01 63 00 ${`${control} ${gifFrame}`.repeat(3)} 3b`), 3],
  [
    "a GIF with a colour table of a picture",
    gif(`2c 00000000 01000100 80 000000ffffff 02 02 4401 00 ${gifFrame} 3b`),
    2,
  ],
  ["a GIF with bytes between its pictures", gif(`${gifFrame} 00 00 ${gifFrame} 3b`), 2],
  ["a GIF that is cut off", gif(`${gifFrame} ${gifFrame.slice(0, 20)}`), 2],
  ["a PNG", bytes(`89504e470d0a1a0a ${chunk("IHDR")} ${chunk("IDAT")}`), 0],
  ["an APNG", bytes(`89504e470d0a1a0a ${chunk("IHDR")} ${chunk("fcTL").repeat(4)}`), 4],
  ["a WebP", bytes(`52494646 00000000 57454250 ${part("VP8X")} ${part("ANMF").repeat(5)}`), 5],
  ["an AVIF", avif(`00000014 ${samples}`), 6],
  [
    "an AVIF with the name of the box in its pixels, after a size that is too small",
    avif(`00000013 ${samples}`),
    0,
  ],
  [
    "an AVIF with the name of the box in its pixels, after a size that is too large",
    avif(`00000015 ${samples}`),
    0,
  ],
  ["a JPEG", bytes("ffd8 ffe0 0010 4a46494600010100000100010000"), 0],
  ["nothing", new Uint8Array(), 0],
])("%s", (_, image, frames) => {
  expect(frameCount(image)).toBe(frames);
});
