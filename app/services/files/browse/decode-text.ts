export interface TextFile {
  text: string;
  encoding: Encoding;
  /** the file is longer */
  cut: boolean;
}

/**
 * Decodes the first bytes of a file; null if it is not text.
 * @param chosen the encoding chosen by the person; null to detect it
 */
export function decodeText(bytes: Uint8Array, cut: boolean, chosen: Encoding | null = null): TextFile | null {
  const encoding = chosen ?? detectEncoding(bytes);
  // `stream` drops an incomplete character at the cut.
  const text = new TextDecoder(encoding).decode(bytes, { stream: cut });
  return chosen === null && text.includes("\0") ? null : { text, encoding, cut };
}

/** The encoding is detected from this many bytes. */
const SAMPLE_BYTES = 65_536;

/**
 * Guesses the encoding of a text: by a byte order mark; by being valid UTF-8, which other encodings hardly ever are; by the frequency of
 * common characters. The person can choose another one.
 */
export function detectEncoding(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const wide = wideOrder(sample);
  if (wide) return wide;
  if (isUtf8(sample)) return "utf-8";
  return likelyEastAsian(sample) ?? (isCyrillic(sample) ? "windows-1251" : "windows-1252");
}

/** UTF-16 without a byte order mark: the upper bytes of Latin letters, digits and spaces are zero. */
function wideOrder(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const pairs = Math.floor(bytes.length / 2);
  if (pairs < 4) return null;
  const zeros = [0, 0];
  for (let at = 0; at < pairs * 2; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even === 0 && odd > pairs * 0.3) return "utf-16le";
  if (odd === 0 && even > pairs * 0.3) return "utf-16be";
  return null;
}

/** A few invalid characters, perhaps in a log, are tolerated. */
function isUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes, { stream: true });
  const broken = count(text, /\ufffd/g);
  return broken === 0 || broken * 20 < count(text, /[^\0-\x7f]/g) - broken;
}

function likelyEastAsian(bytes: Uint8Array): Encoding | null {
  // Nearly every Japanese sentence has kana. Letters of other encodings decode as half-width katakana in Shift_JIS.
  for (const encoding of ["shift_jis", "euc-jp"] as const) {
    const text = decodeStrictly(bytes, encoding);
    if (text === null) continue;
    const all = count(text, /[^\0-\x7f]/g);
    const halfWidth = count(text, /[\uff61-\uff9f]/g);
    if (count(text, /[\u3040-\u30ff]/g) >= all * 0.25 && halfWidth < all * 0.2) return encoding;
  }
  // Each standard has rows of common characters. Rare characters are frequent only in a wrong guess.
  const isDaily = (from: number, to: number) => (lead: number, trail: number) =>
    trail >= 0xa1 && lead >= from && lead <= to;
  if (decodes(bytes, "euc-kr") && shareOfPairs(bytes, isDaily(0xb0, 0xc8)) >= 0.8) return "euc-kr";
  if (decodes(bytes, "gb18030") && shareOfPairs(bytes, isDaily(0xa1, 0xd7)) >= 0.8) return "gb18030";
  const isDailyBig5 = (lead: number) => lead >= 0xa1 && lead <= 0xc6;
  if (decodes(bytes, "big5") && shareOfPairs(bytes, isDailyBig5) >= 0.9) return "big5";
  return null;
}

/** The share of common ones among two-byte characters, 0 to 1. */
function shareOfPairs(bytes: Uint8Array, isCommon: (lead: number, trail: number) => boolean): number {
  let pairs = 0;
  let common = 0;
  for (let at = 0; at + 1 < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    at++;
    pairs++;
    if (isCommon(lead, bytes[at] ?? 0)) common++;
  }
  return pairs === 0 ? 0 : common / pairs;
}

/** Whole words of non-ASCII letters; western languages have single ones among ASCII letters. */
function isCyrillic(bytes: Uint8Array): boolean {
  let high = 0;
  let inWords = 0;
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    while ((bytes[at] ?? 0) >= 0xc0) at++;
    high += at - start;
    if (at - start >= 3) inWords += at - start;
    if (at === start) at++;
  }
  return inWords > high * 0.6;
}

const decodes = (bytes: Uint8Array, encoding: Encoding) => decodeStrictly(bytes, encoding) !== null;

function decodeStrictly(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** The supported encodings: WHATWG labels and display names. */
export const encodings = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16 LE",
  "utf-16be": "UTF-16 BE",
  "windows-1252": "Windows-1252",
  "windows-1250": "Windows-1250",
  "windows-1251": "Windows-1251",
  shift_jis: "Shift_JIS",
  "euc-jp": "EUC-JP",
  gb18030: "GB18030",
  big5: "Big5",
  "euc-kr": "EUC-KR",
} as const;

export type Encoding = keyof typeof encodings;

/** The direction is detected from this many characters. */
const SAMPLE_LENGTH = 4_000;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc]/;
const letter = /\p{Letter}/u;

/** The direction of the first letter. `dir="auto"` would look at every line, which takes seconds for a long text. */
export function directionOf(text: string): "ltr" | "rtl" {
  const first = letter.exec(text.slice(0, SAMPLE_LENGTH))?.[0] ?? "";
  return rightToLeft.test(first) ? "rtl" : "ltr";
}
