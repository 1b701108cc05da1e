import { detectAll } from "jschardet";
import { decodeText, type Encoding, encodingsByScript } from "./decode-text";

const encodings = Object.values(encodingsByScript).flatMap((group) => Object.keys(group)) as Encoding[];
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const byPlainName = new Map(encodings.map((encoding) => [plain(encoding), encoding]));
/** What jschardet calls otherwise. */
const otherNames: Record<string, Encoding> = {
  ascii: "utf-8",
  cp437: "ibm437",
  cp850: "ibm850",
  cp852: "ibm852",
  cp866: "ibm866",
  cp874: "windows-874",
  cp1258: "windows-1258",
  macroman: "macintosh",
  maccyrillic: "x-mac-cyrillic",
};

const candidates = [...encodings, ...Object.keys(otherNames)];

/** What texts hardly have, and letters of another encoding often become. */
const oddities = [
  // Characters that the encoding lacks, and control characters.
  /[\ufffd\u0080-\u0084\u0086-\u009f]/g,
  // Two scripts in one word.
  /\p{Script=Latin}(?=[\p{Script=Cyrl}\p{Script=Grek}\p{Script=Hebr}\p{Script=Arab}\p{Script=Thai}])/gu,
  /[\p{Script=Cyrl}\p{Script=Grek}\p{Script=Hebr}\p{Script=Arab}\p{Script=Thai}](?=\p{Script=Latin})/gu,
  // Lines of tables within a word, or many different ones.
  /[\u2500-\u259f](?=\p{Letter})|(?:([\u2500-\u256c])(?!\1)){4}/gu,
];
/** One oddity in so many characters that are not ASCII may be a mistake of the author. */
const CHARACTERS_PER_ODDITY = 10;

function isOdd(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const found = oddities.reduce((sum, pattern) => sum + count(pattern), 0);
  return found * CHARACTERS_PER_ODDITY > count(/[^\0-\x7f]/g);
}

const USUAL_ENCODING = "windows-1252";

/** Without them, a text in Windows-1258 is as well one in Windows-1252. */
const vietnameseTone = /[\u0300\u0301\u0303\u0309\u0323]/;

/** The most likely encoding of a text, by what its letters are in each; null if it looks like no text. */
export function guessEncoding(bytes: Uint8Array): Encoding | null {
  const likely = detectAll(bytes, { detectEncodings: candidates }).flatMap(({ encoding }) => {
    const name = encoding === null ? null : plain(encoding);
    return (name !== null && (byPlainName.get(name) ?? otherNames[name])) || [];
  });
  const isLikely = (encoding: Encoding) => {
    // The last character may be incomplete.
    const text = decodeText(bytes, true, encoding);
    return !isOdd(text) && (encoding !== "windows-1258" || vietnameseTone.test(text));
  };
  const guess = likely.find(isLikely) ?? likely[0] ?? null;
  // Of encodings that make the same of a text, the usual one is named.
  const isUsual =
    guess !== null && decodeText(bytes, true, guess) === decodeText(bytes, true, USUAL_ENCODING);
  return isUsual ? USUAL_ENCODING : guess;
}
