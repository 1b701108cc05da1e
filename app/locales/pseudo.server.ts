import en from "./en.json";
import type { Sentences, Translation } from "./translate";

/** By how much a sentence grows, about as from English to German. */
const GROWTH = 0.4;

const letters = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";
const withAccent = "áÁƀɃçÇðÐéÉƒƑĝĜĥĤîÎĵĴķĶļĻɱṀñÑöÖþÞǫǪŕŔšŠţŢûÛṽṼŵŴẋẊýÝžŽ";

/** English with accents, and longer. It shows text that is not translated, and text that does not fit. */
const accented = (sentence: string) => {
  const words = sentence.replace(/(\{\w+\})|[a-zA-Z]/g, (letter, placeholder) => {
    return placeholder ?? withAccent[letters.indexOf(letter)];
  });
  return `${words}${"·".repeat(Math.ceil(sentence.length * GROWTH))}`;
};

/** English in letters that run from right to left: RIGHT-TO-LEFT OVERRIDE to POP DIRECTIONAL FORMATTING, word by word. */
const turned = (sentence: string) =>
  sentence.replace(/(\{\w+\})|[\p{L}’'-]+/gu, (word, placeholder) => placeholder ?? `\u202e${word}\u202c`);

/** Languages for tests. Never available in production. */
export const pseudoLanguages: Readonly<Record<string, Translation>> = {
  "en-XA": write(en, accented) as Translation,
  "ar-XB": write(en, turned) as Translation,
};

function write(sentences: Sentences, change: (sentence: string) => string): Sentences {
  const entries = Object.entries(sentences).map(([name, value]) => [
    name,
    typeof value === "string" ? change(value) : write(value, change),
  ]);
  return Object.fromEntries(entries);
}
