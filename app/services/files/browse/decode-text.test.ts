import { expect, test } from "vitest";
import { encodeText } from "../../../../tests/support/files/encode-text";
import { decodeText, decodeXml, directionOf } from "./decode-text";

test("a character that the cut has torn apart is left out", () => {
  const bytes = new TextEncoder().encode("aé");
  expect(decodeText(bytes.slice(0, 2), true, "utf-8")).toBe("a");
  expect(decodeText(bytes, false, "utf-8")).toBe("aé");
});

test("zeros at the end are no part of the text", () => {
  expect(decodeText(new TextEncoder().encode("a,b\n1,2\n\0\0\0"), false, "utf-8")).toBe("a,b\n1,2\n");
});

/** Bytes as Python's codecs write them. */
test.each([
  ["ibm850", "Größe: 5 £, déjà vu", "477294e1653a203520 9c2c2064826a85207675"],
  ["ibm866", "Прайс", "8fe0a0a9e1"],
  ["koi8-r", "Прайс", "f0d2c1cad3"],
  ["macintosh", "Größe", "47729aa765"],
  ["iso-2022-jp", "東京", "1b2442456c357e1b2842"],
  ["utf-32le", "A😀", "fffe00004100000000f60100"],
  ["utf-32be", "A", "00000041"],
] as const)("%s is decoded", (encoding, text, digits) => {
  const bytes = Uint8Array.from(digits.replaceAll(" ", "").match(/../g) ?? [], (pair) =>
    Number.parseInt(pair, 16),
  );
  expect(decodeText(bytes, false, encoding)).toBe(text);
});

test.each([
  ["as it declares", '<?xml version="1.0" encoding="ISO-8859-1"?><a>Größe</a>', "windows-1252"],
  ["in another script", "<?xml version='1.0' encoding='koi8-r'?><a>Привет</a>", "koi8-r"],
  ["without a declaration", "<a>Größe</a>", "utf-8"],
  ["without a declaration, where UTF-8 is impossible", "<a>Größe</a>", "windows-1252"],
  ["of a name that no browser knows", '<?xml version="1.0" encoding="x-none"?><a>Größe</a>', "utf-8"],
  ["with UTF-16 declared, and written in UTF-8", '<?xml version="1.0" encoding="utf-16"?><a>é</a>', "utf-8"],
] as const)("XML is read %s", (_, text, encoding) => {
  expect(decodeXml(encodeText(text, encoding))).toBe(text);
});

test("a megabyte of zeros inside a text takes no longer than other text", () => {
  const bytes = new Uint8Array(1_000_000);
  bytes[bytes.length - 1] = 0x61;
  expect(decodeText(bytes, false, "utf-8")).toHaveLength(bytes.length);
  expect(decodeText(bytes.subarray(0, -1), false, "utf-8")).toBe("");
});

test("XML in UTF-16 is known by its mark", () => {
  expect(decodeXml(encodeText('\ufeff<?xml version="1.0" encoding="utf-16"?><a/>', "utf-16le"))).toBe(
    '<?xml version="1.0" encoding="utf-16"?><a/>',
  );
});

test("a text runs in the direction of its first letter", () => {
  expect(directionOf("1. שלום")).toBe("rtl");
  expect(directionOf("— hello שלום")).toBe("ltr");
  expect(directionOf("123")).toBe("ltr");
});
