/**
 * Names as they are compared in a search: without case, accents, the Unicode form they were stored in, and what cannot be seen. Runs in the
 * browser for the open folder and on the server for all below it, so that both find the same.
 */

/**
 * What follows a letter and is not always typed: accents of Latin, Greek and Cyrillic, points of Hebrew, vowel signs and the stretcher of
 * Arabic, and characters of no width. Marks of other scripts stay: in Japanese, Thai or Hindi they make another letter.
 */
const MARKS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: marks and nothing else; each stands for itself
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|\p{DI}/gu;

/** Letters that Unicode does not take apart, and that keyboards without them write otherwise. */
const LETTERS: Record<string, string> = { Æ: "AE", Œ: "OE", Ø: "O", Ł: "L", Đ: "D", "’": "'" };

/**
 * `Café` and `CAFÉ`, composed or not, become `CAFE`; `ﬁ` and full-width `Ｆｉ` become `FI`. In capitals, which bring ß and ss, ı and i, σ and ς
 * together; lower case first, because ẞ has no capital.
 */
export function foldName(name: string): string {
  // ASCII, which most names are.
  if (/^[\0-\x7f]*$/.test(name)) return name.toUpperCase();
  return name
    .normalize("NFKD")
    .replace(MARKS, "")
    .toLowerCase()
    .toUpperCase()
    .replace(/[ÆŒØŁĐ’]/g, (letter) => LETTERS[letter] ?? letter);
}

/** Whether a name has all the words of `query` in it, anywhere and in any order. An empty query is met by every name. */
export function nameMatcher(query: string): (name: string) => boolean {
  const isWanted = foldedMatcher(query);
  return (name) => isWanted(foldName(name));
}

/** The same of a name that has been folded already. */
export function foldedMatcher(query: string): (folded: string) => boolean {
  const words = [...new Set(foldName(query).split(/\s+/))].filter((word) => word !== "");
  return (folded) => words.every((word) => folded.includes(word));
}
