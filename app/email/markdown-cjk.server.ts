import type { Lexer, Tokens } from "marked";

/** Of scripts that are written without spaces: Chinese, Japanese, Korean. */
const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;

export const hasCjk = (text: string) => cjk.test(text);

/**
 * Bold text that CommonMark leaves as asterisks. It tells whether `**` opens or closes by spaces and punctuation around it, and where
 * words have no spaces between them that fails: `**重要：**本日` ends in punctuation before a letter. Here `**` closes what `**` has
 * opened wherever Chinese, Japanese or Korean is on either side of it.
 * @param masked `source`, with what is no text (code, addresses) masked, as marked does it
 * @param spend is told how many characters were looked at
 */
export function boldBetweenCjk(
  lexer: Lexer,
  source: string,
  masked: string,
  previous: string,
  spend: (characters: number) => void,
): Tokens.Strong | undefined {
  if (!/^\*\*[^\s*]/.test(source)) return undefined;
  const rest = masked.slice(-source.length);
  const end = rest.indexOf("**", 3);
  spend(end === -1 ? rest.length : end);
  if (end === -1 || /\s/.test(source[end - 1] ?? "")) return undefined;
  const around = [previous, source[2], source[end - 1], source[end + 2]];
  if (!around.some((character) => character !== undefined && cjk.test(character))) return undefined;
  const text = source.slice(2, end);
  return {
    type: "strong",
    raw: source.slice(0, end + 2),
    text,
    tokens: lexer.inlineTokens(text),
  };
}
