import { type FindLanguage, inEnglish } from "./words";

/** How long the words of another language are waited for (milliseconds). */
const PATIENCE = 2_000;

const ownScript = document.currentScript as HTMLScriptElement | null;

/**
 * Of the file for a script tag, in the place of `find-language.ts`: the other languages are one file beside it, of the same version as itself,
 * `platform-embed@1.2.3.languages.json` for `platform-embed@1.2.3.js`.
 */
export const findLanguage: FindLanguage = async (locale) => {
  try {
    const { language, script } = new Intl.Locale(locale).maximize();
    if (language === "en" || !ownScript) return inEnglish;
    const file = ownScript.src.replace(/\.js[^/]*$/, ".languages.json");
    const response = await fetch(file, { signal: AbortSignal.timeout(PATIENCE) });
    return (await response.json())[`${language}-${script}`] ?? inEnglish;
  } catch {
    return inEnglish;
  }
};
