import { expect, test } from "vitest";
import { isCutJpeg } from "./is-cut-jpeg";

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
/** With a thumbnail that has an end of its own. */
const header = "ffd8 ffe1 0008 ffd8ff00ffd9";
const scan = "ffda 0004 0000 1234 ff00 56 ffd0 78";

test.each([
  ["at its marker", `${header} ${scan} ffd9`, false],
  ["at its marker, with other bytes before and after it", `${header} ${scan} ffffff d9 00 ffda`, false],
  ["at the marker after its second scan", `${header} ${scan} ffc4 0004 ffd9 ${scan} ffd9`, false],
  ["within its pixels", `${header} ${scan}`, true],
  ["within a segment", `${header} ${scan} ffc4 0004 ff`, true],
  ["within its header", header, true],
])("whether a JPEG is cut that ends %s", (_, hex, isCut) => {
  expect(isCutJpeg(bytes(hex))).toBe(isCut);
});

test("other files are no cut JPEG", () => {
  expect(isCutJpeg(bytes("89504e470d0a1a0a"))).toBe(false);
  expect(isCutJpeg(bytes(""))).toBe(false);
});
