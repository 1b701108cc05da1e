/**
 * Compares names in a search: without case, accents, Unicode form and invisible characters. The browser uses it for the open folder and the
 * server for everything below, so that both find the same names.
 */

/**
 * Marks that people often do not type: accents in Latin, Greek and Cyrillic, points in Hebrew, vowel signs and tatweel in Arabic, and
 * characters without width. Marks of other scripts are kept: in Japanese, Thai or Hindi they make another letter.
 */
const MARKS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: a list of combining marks
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|\p{DI}/gu;

/** Letters that Unicode does not decompose, as people without them on the keyboard type them. */
const LETTERS: Record<string, string> = { Æ: "AE", Œ: "OE", Ø: "O", Ł: "L", Đ: "D", "’": "'" };

/**
 * `Café` and `CAFÉ`, composed or not, become `CAFE`; `ﬁ` and full-width `Ｆｉ` become `FI`. Upper case makes ß and ss, ı
 * and i, σ and ς equal; lower case comes first, because ẞ is its own upper case.
 */
export function foldName(name: string): string {
  // Most names are ASCII.
  if (/^[\0-\x7f]*$/.test(name)) return name.toUpperCase();
  return name
    .normalize("NFKD")
    .replace(MARKS, "")
    .toLowerCase()
    .toUpperCase()
    .replace(/[ÆŒØŁĐ’]/g, (letter) => LETTERS[letter] ?? letter);
}

/**
 * Returns a test whether a name contains all words of `query`, in any order. Some of them may be in the names of the folders around it
 * instead, but not all: otherwise the name of a folder would find everything in it. Every name matches an empty query.
 */
export function nameMatcher(query: string): (name: string, folders?: string) => boolean {
  const isMatch = foldedMatcher(query);
  return (name, folders = "") => isMatch(foldName(name), () => foldName(folders));
}

/** The same for names that have been folded. @param folders is called only if it matters */
export function foldedMatcher(query: string): (name: string, folders: () => string) => boolean {
  const words = wordsOf(query);
  return (name, folders) => {
    const others = words.filter((word) => !name.includes(word));
    if (others.length === 0 || others.length === words.length) return others.length === 0;
    const around = folders();
    return others.every((word) => around.includes(word));
  };
}

/**
 * Finds what a search for `query` matches in a name. A match begins and ends between whole characters: `STRASS` is all of `Straß`.
 * @returns the beginning and end of each match, in UTF-16 units and in order. They may overlap.
 */
export function findMatches(name: string, query: string): [start: number, end: number][] {
  let folded = "";
  /** for each unit of `folded`, where its character begins in `name` */
  const origins: number[] = [];
  let origin = 0;
  for (const character of name) {
    const letters = foldName(character);
    folded += letters;
    for (let unit = 0; unit < letters.length; unit++) origins.push(origin);
    origin += character.length;
  }
  const matches: [number, number][] = [];
  for (const word of wordsOf(query))
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + word.length)) {
      // Up to the next character with letters: accents belong to the one before.
      let next = at + word.length;
      while (next < origins.length && origins[next] === origins[next - 1]) next += 1;
      matches.push([origins[at] ?? 0, origins[next] ?? name.length]);
    }
  return matches.sort(([one], [other]) => one - other);
}

/** The words of a query, folded, each once. */
export const wordsOf = (query: string): string[] =>
  [...new Set(foldName(query).split(/\s+/))].filter((word) => word !== "");
