import { describe, expect, test } from "vitest";
import { encodeText } from "../../../../tests/support/files/encode-text";
import { texts } from "../../../../tests/support/files/texts";
import { decodeText, type Encoding } from "./decode-text";
import { knownEncoding, sampleOf } from "./detect-encoding";
import { guessEncoding } from "./guess-encoding";

const hex = (digits: string) =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const utf8 = (text: string) => new TextEncoder().encode(text);

/** As `detectEncoding` does it, without a worker. */
const detected = (bytes: Uint8Array) =>
  knownEncoding(bytes) ?? { encoding: guessEncoding(sampleOf(bytes)), isCertain: false };

describe("what needs no guess", () => {
  test.each([
    ["UTF-8", utf8("Größe, Łódź, 東京"), "utf-8"],
    ["ASCII, also with the colours of a terminal", utf8("\u001b[32mdone\u001b[0m\u0007\n"), "utf-8"],
    ["ASCII that ends as in DOS", utf8("a,b\r\n\u001a"), "utf-8"],
    ["UTF-8 that ends with zeros", utf8("Größe\n\0\0\0\0\0"), "utf-8"],
    ["UTF-8 that is cut within a character", utf8("Größe").slice(0, 4), "utf-8"],
    ["the mark of UTF-8", hex("efbbbfe4"), "utf-8"],
    ["the mark of UTF-16", hex("fffe4100"), "utf-16le"],
    ["the mark of UTF-16, upper bytes first", hex("feff0041"), "utf-16be"],
    ["the mark of UTF-32", hex("fffe000041000000"), "utf-32le"],
    ["the mark of UTF-32, upper bytes first", hex("0000feff00000041"), "utf-32be"],
  ])("%s", (_, bytes, encoding) => {
    expect(knownEncoding(bytes)).toEqual({ encoding, isCertain: true });
  });
});

test("a log with one broken character stays UTF-8, with doubt", () => {
  const line = utf8("Größe geändert – übernommen\n");
  const bytes = new Uint8Array([...line, ...line, ...line, ...line, 0xff, ...line]);
  expect(detected(bytes)).toEqual({ encoding: "utf-8", isCertain: false });
});

test("bytes that are no text are not taken for one", () => {
  expect(knownEncoding(hex("000000"))?.encoding).toBeNull();
  expect(detected(hex("00010200")).encoding).toBeNull();
  expect(detected(hex("89504e470d0a1a0a0000000d49484452")).encoding).toBeNull();
});

test("the letters that tell an encoding may come late", () => {
  const bytes = new Uint8Array([
    ...utf8("plain text\n".repeat(20_000)),
    ...encodeText(texts.Polish?.text ?? "", "windows-1250"),
  ]);
  expect(detected(bytes).encoding).toBe("windows-1250");
});

test("an encoding in which a text has control characters is not likely", () => {
  // Two languages in one text are like neither.
  const text = "Zażółć gęślą jaźń. Łódź, Kraków.\r\nPříliš žluťoučký kůň úpěl ďábelské ódy.\r\n";
  expect(detected(encodeText(text, "windows-1250")).encoding).toBe("windows-1250");
  expect(detected(encodeText(text, "ibm852")).encoding).toBe("ibm852");
});

test("Windows-1258 is for texts with tones only", () => {
  const bytes = encodeText(`Größe und Übermaß: ${"lang ".repeat(300)}`, "windows-1252");
  expect(detected(bytes).encoding).toBe("windows-1252");
});

/** Of texts of so many characters; the whole texts have about two hundred. */
const LENGTHS = [24, 60, 1_000];
/** What is read wrong, and as what. */
const wrong: Record<string, string> = {
  // The same pairs of bytes are as common in Chinese.
  "Japanese without kana, euc-jp, 24": "gb18030",
  "Japanese without kana, euc-jp, 60": "gb18030",
};

describe.each(LENGTHS)("of the first %i characters of a text", (length) => {
  const cases = Object.entries(texts).flatMap(([language, { text, encodings }]) =>
    encodings.map((encoding) => [language, encoding, text.slice(0, length)] as const),
  );
  test.each(cases)("%s in %s is read", (language, encoding, text) => {
    const bytes = encodeText(text, encoding);
    const guess = detected(bytes).encoding as Encoding;
    const isRight = decodeText(bytes, false, guess) === text;
    expect(isRight ? undefined : guess).toBe(wrong[`${language}, ${encoding}, ${length}`]);
  });
});
