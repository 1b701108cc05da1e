import { isRightToLeft } from "../app/locales/choose-language.server";
import { languages } from "../app/locales/languages.server";
import type { Language } from "./src/messages";

/** The source of the module that `src/languages.d.ts` declares. */
export function languagesModule(): string {
  return `export const languages = ${JSON.stringify(describeLanguages())};\n`;
}

/**
 * The section `element` of every language but English, by language and script: they decide what a reader of `pt-PT` or
 * `zh-CN` can read.
 */
function describeLanguages(): Record<string, Language> {
  const { en, ...others } = languages;
  const entries = Object.entries(others).map(([locale, { element }]) => {
    const { language, script } = new Intl.Locale(locale).maximize();
    const messages = { ...en?.element, ...element };
    return [`${language}-${script}`, { messages, locale, dir: isRightToLeft(locale) ? "rtl" : "ltr" }];
  });
  return Object.fromEntries(entries);
}
