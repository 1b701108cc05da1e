import { type FindLanguage, inEnglish } from "./words";

/** How long the words of another language are waited for (milliseconds). */
const PATIENCE = 2_000;

const ownScript = document.currentScript as HTMLScriptElement | null;

/** Of the file for a script tag, in the place of `find-language.ts`: the platform that it comes from has the other languages. */
export const findLanguage: FindLanguage = async (locale) => {
  try {
    if (/^en\b/i.test(locale) || !ownScript) return inEnglish;
    const file = new URL(`/locales/element.${encodeURIComponent(locale)}.json`, ownScript.src);
    const response = await fetch(file, { signal: AbortSignal.timeout(PATIENCE) });
    return { ...inEnglish, ...(response.ok && (await response.json())) };
  } catch {
    return inEnglish;
  }
};
