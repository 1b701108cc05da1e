import { en } from "./en";
import type { Sentences, Translation } from "./translate";

/** How much longer a sentence becomes: about as German is than English. */
const LONGER = 0.4;

const letters = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";
const withAccent = "áÁƀɃçÇðÐéÉƒƑĝĜĥĤîÎĵĴķĶļĻɱṀñÑöÖþÞǫǪŕŔšŠţŢûÛṽṼŵŴẋẊýÝžŽ";

/** English with accents, and longer: what stays without is no sentence of a language, and what does not fit is seen. */
const accented = (sentence: string) => {
  const words = sentence.replace(/(\{\w+\})|[a-zA-Z]/g, (letter, placeholder) => {
    return placeholder ?? withAccent[letters.indexOf(letter)];
  });
  return `${words}${"·".repeat(Math.ceil(sentence.length * LONGER))}`;
};

/** English in letters that run from right to left: RIGHT-TO-LEFT OVERRIDE to POP DIRECTIONAL FORMATTING, word by word. */
const turned = (sentence: string) =>
  sentence.replace(/(\{\w+\})|[\p{L}’'-]+/gu, (word, placeholder) => placeholder ?? `\u202e${word}\u202c`);

/** Languages that nobody speaks, for tests: never in production. */
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
