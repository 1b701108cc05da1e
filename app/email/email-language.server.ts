import { chooseLanguage, isRightToLeft } from "../locales/choose-language.server";
import type { en } from "../locales/en";
import { emailWords } from "../locales/languages.server";
import { createTranslate, type Translate } from "../locales/translate";
import { escapeHtml } from "./escape-html";

export type Direction = "ltr" | "rtl";
type Words = Translate<typeof en.email>;

/** The language of one e-mail. */
export interface EmailLanguage {
  /** BCP 47, of what the caller wrote, whether we have words in it or not */
  lang: string;
  /** BCP 47, of our own words; dates follow it */
  locale: string;
  /** of the whole e-mail */
  dir: Direction;
  /** our own words */
  t: Words;
}

const tags = Object.keys(emailWords);
const words = new Map<string, Words>(
  Object.entries(emailWords).map(([tag, sentences]) => [tag, createTranslate(sentences, tag)]),
);

/**
 * The language of an e-mail.
 * @param locale BCP 47; English where none was given
 * @param texts what was written for it: without a locale, the e-mail runs as most of their letters do
 */
export function emailLanguage(locale: string | undefined, texts: readonly string[]): EmailLanguage {
  const { tag, locale: dates } =
    locale === undefined ? { tag: "en", locale: "en" } : chooseLanguage([locale], tags);
  const isRight = locale === undefined ? runFromRightToLeft(texts) : isRightToLeft(locale);
  return {
    lang: locale ?? "en",
    locale: dates,
    dir: isRight ? "rtl" : "ltr",
    t: words.get(tag) as Words,
  };
}

/** Where both scripts are, and a few others that run as they do. */
const anyRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/gu;
const leftToRight = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/gu;

/** By most of the letters, not the first: a Hebrew title may begin with the name of a product. */
function runFromRightToLeft(texts: readonly string[]): boolean {
  // Nearly no text has any, and looking for a first one is cheap.
  if (!texts.some((text) => anyRightToLeft.test(text))) return false;
  const count = (letters: RegExp) => texts.join(" ").match(letters)?.length ?? 0;
  return count(rightToLeft) > count(leftToRight);
}

/** A sentence of ours as HTML, in which one value is HTML already: a link, where the sentence names what it leads to. */
export function withHtml(sentence: string, value: string, html: string): string {
  return escapeHtml(sentence).replace(escapeHtml(value), () => html);
}
