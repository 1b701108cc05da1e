import { expect, test } from "vitest";
import { decodeText, detectEncoding, directionOf } from "./decode-text";

const hex = (digits: string) =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

test("a character that the cut has torn apart is left out", () => {
  const bytes = new TextEncoder().encode("aé");
  expect(decodeText(bytes.slice(0, 2), true)?.text).toBe("a");
  expect(decodeText(bytes, false)?.text).toBe("aé");
});

test("UTF-16 is known by its mark, and bytes that are no text are not shown as one", () => {
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x41, 0x00]), false)?.text).toBe("A");
  expect(decodeText(new Uint8Array([0xfe, 0xff, 0x00, 0x41]), false)?.text).toBe("A");
  expect(decodeText(new Uint8Array([0x41, 0x00, 0x42]), false)).toBeNull();
  expect(decodeText(new Uint8Array([0, 1, 2, 0]), false)).toBeNull();
});

test("UTF-16 without a mark is known by the zeros beside Latin letters", () => {
  const text = "Angebot 2026";
  const little = Uint8Array.from([...text].flatMap((letter) => [letter.charCodeAt(0), 0]));
  const big = Uint8Array.from([...text].flatMap((letter) => [0, letter.charCodeAt(0)]));
  expect(decodeText(little, false)).toMatchObject({ text, encoding: "utf-16le" });
  expect(decodeText(big, false)).toMatchObject({ text, encoding: "utf-16be" });
});

/** Bytes as Python's codecs write them. */
test.each([
  ["utf-8", "Größe, Łódź, 東京", "4772c3b6c39f652c20c581c3b364c5ba2c20e69db1e4baac"],
  ["windows-1252", "Größe: 5 £, déjà vu", "4772f6df653a203520a32c2064e96ae0207675"],
  ["windows-1252", "été", "e974e9"],
  ["windows-1251", "Прайс-лист", "cff0e0e9f12debe8f1f2"],
  ["shift_jis", "東京の倉庫リスト", "938c8b9e82cc91718cc9838a83588367"],
  ["euc-jp", "東京の倉庫のリスト", "c5ecb5fea4cec1d2b8cba4cea5eaa5b9a5c8"],
  ["gb18030", "这是一份价格清单", "d5e2cac7d2bbb7ddbcdbb8f1c7e5b5a5"],
  ["euc-kr", "가격 목록입니다", "b0a1b0dd20b8f1b7cfc0d4b4cfb4d9"],
  ["big5", "這是一份價格清單", "b36fac4fa440a5f7bbf9aee6b24db3e6"],
])("%s is known by what it makes of the bytes: %s", (encoding, text, bytes) => {
  expect(decodeText(hex(bytes), false)).toMatchObject({ encoding, text });
});

test("a log with one broken character stays UTF-8", () => {
  const line = new TextEncoder().encode("Größe geändert – übernommen\n");
  const bytes = new Uint8Array([...line, ...line, ...line, ...line, 0xff, ...line]);
  expect(detectEncoding(bytes)).toBe("utf-8");
});

test("what a person chooses counts, also against the bytes", () => {
  expect(decodeText(hex("c3a9"), false, "windows-1252")).toMatchObject({
    text: "Ã©",
    encoding: "windows-1252",
  });
  expect(decodeText(hex("0041"), false, "utf-8")?.text).toBe("\0A");
});

test("a text runs in the direction of its first letter", () => {
  expect(directionOf("1. שלום")).toBe("rtl");
  expect(directionOf("— hello שלום")).toBe("ltr");
  expect(directionOf("123")).toBe("ltr");
});
