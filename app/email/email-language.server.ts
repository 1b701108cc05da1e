import { chooseLanguage, isRightToLeft } from "../locales/choose-language.server";
import { emailWords } from "../locales/languages.server";
import { createTranslate, type English, type Translate } from "../locales/translate";
import { escapeHtml } from "./escape-html";

export type Direction = "ltr" | "rtl";
type Words = Translate<English["email"]>;

/** The language of one e-mail. */
export interface EmailLanguage {
  /** BCP 47, of the caller's text; we need not have words in it */
  lang: string;
  /** BCP 47, of our own words; dates follow it */
  locale: string;
  /** of the whole e-mail */
  dir: Direction;
  /** our own words */
  t: Words;
}

/** A text of the sender, who may use soft hyphens and the like. */
const asWritten = (text: string) => text;
const tags = Object.keys(emailWords);
const words = new Map<string, Words>(
  Object.entries(emailWords).map(([tag, sentences]) => [tag, createTranslate(sentences, tag, asWritten)]),
);

/**
 * The language of an e-mail.
 * @param locale BCP 47; English if none was given
 * @param texts the caller's texts: without a locale, most of their letters decide the direction
 */
export function emailLanguage(locale: string | undefined, texts: readonly string[]): EmailLanguage {
  const { tag, locale: dates } =
    locale === undefined ? { tag: "en", locale: "en" } : chooseLanguage([locale], tags);
  const isRight = locale === undefined ? areRightToLeft(texts) : isRightToLeft(locale);
  return {
    lang: locale ?? "en",
    locale: dates,
    dir: isRight ? "rtl" : "ltr",
    t: words.get(tag) as Words,
  };
}

/** The blocks of Hebrew, Arabic and a few other scripts that run from right to left. */
const anyRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/gu;
const leftToRight = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/gu;

/** Decided by most of the letters, not the first one: a Hebrew title may begin with the name of a product. */
function areRightToLeft(texts: readonly string[]): boolean {
  // Cheap, and enough for nearly every text.
  if (!texts.some((text) => anyRightToLeft.test(text))) return false;
  const count = (letters: RegExp) => texts.join(" ").match(letters)?.length ?? 0;
  return count(rightToLeft) > count(leftToRight);
}

/** One of our sentences as HTML, with `html` (a link) in place of `value`. */
export function withHtml(sentence: string, value: string, html: string): string {
  return escapeHtml(sentence).replace(escapeHtml(value), () => html);
}
