/**
 * Characters that nobody sees, or takes for a space: controls, separators of lines and paragraphs, what Unicode calls default ignorable
 * (zero-width characters, and those that reverse the direction of text), four that browsers draw without width, an empty Braille cell, a
 * note without a head, and all spaces but the usual one.
 */
const INVISIBLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffc\u2800\u{1d159}]|(?! )\p{Zs}/gu;

/** Spaces at the beginning or end of a name, also of each name in a path. A run that is inside a name is looked at once. */
const OUTER_SPACES = /(?<=^|\/) +|(?<! ) +(?=\/|$)/g;

/** Joiners, variation selectors and tags: scripts and emoji are written with them. */
const JOINS = /[\p{Join_Control}\p{Variation_Selector}\u{e0020}-\u{e007f}]/u;

/** Marks of direction, which people need where letters of both directions meet. */
const MARKS = /[\u061c\u200e\u200f]/;
/** Letters: the Arabic mark of direction counts as Arabic itself. */
const RIGHT_TO_LEFT =
  /(?=\p{L})[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** What they join: emoji, marks, and letters of scripts. */
const JOINED = /[\p{L}\p{M}\p{So}\p{Sk}\p{Emoji}\u{e0020}-\u{e007f}]/u;

/** Marks on one letter. No language needs half of this, and a browser takes long to lay out more. */
export const MAX_MARKS = 16;
const excessMarks = new RegExp(`(\\p{Mark}{${MAX_MARKS}})\\p{Mark}+`, "gu");

/** Leaves out the marks on a letter after the first `MAX_MARKS`. */
export const limitMarks = (text: string): string => text.replace(excessMarks, "$1");

/** What has no use for joiners. */
const UNJOINED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\d#*]/u;

/** The end of a keycap emoji, after a digit. */
const KEYCAP = "\ufe0f\u20e3";

/**
 * Blanks where people and programs write them, with the character before and after: `9.41 AM` in the names of screenshots, `10 000`, `5 %`,
 * `9:41 a. m.`, `« Quoi ? »`, and those between Japanese words and in Braille; and the marks of direction of Arabic percentages.
 */
const USUAL = [
  /^\p{Nd}[\u00a0\u202f][\p{L}\p{Nd}]$/u,
  /^\.[\u00a0\u202f]m$/u,
  /^[«%][\u00a0\u202f]/u,
  /[\u00a0\u202f][»:;!?…%]$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u301f\u30fc\uff01-\uff5e]\u3000\S$/u,
  /^[\u2801-\u28ff]\u2800[\u2801-\u28ff]$/u,
  /^[%٪][\u061c\u200e]|[\u061c\u200e][%٪]$/u,
];

/**
 * A text of somebody else, such as a file's name, as people may see it. Invisible characters are shown by their code points: a name that
 * contains U+202E would be read backwards, so that `photo\u202Egpj.exe` looks like a picture, and two names that differ by U+200B, by U+00A0 or
 * by a space at the end would look the same. The name itself stays as it is, because it identifies the file.
 */
export const visibleText = (text: string): string =>
  visiblePart(text).replace(OUTER_SPACES, (spaces) => codePoint(" ").repeat(spaces.length));

/** As `visibleText`, for a part of a sentence, which may begin or end with a space. */
export function visiblePart(text: string): string {
  const limited = limitMarks(text);
  const hasRightToLeft = RIGHT_TO_LEFT.test(limited);
  return limited.replace(INVISIBLE, (character, offset: number) => {
    const [before = ""] = [...limited.slice(Math.max(offset - 2, 0), offset)].slice(-1);
    if (JOINS.test(character) && JOINED.test(before) && !UNJOINED.test(before)) return character;
    if (limited.startsWith(KEYCAP, offset)) return character;
    if (MARKS.test(character) && hasRightToLeft) return character;
    const [, after = ""] = limited.slice(offset, offset + character.length + 2);
    if (USUAL.some((usual) => usual.test(before + character + after))) return character;
    return codePoint(character);
  });
}

const codePoint = (character: string) =>
  `[U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`;
