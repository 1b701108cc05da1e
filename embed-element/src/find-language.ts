import { type FindLanguage, inEnglish } from "./words";

/** Of the package, which brings all languages in a module of their own: bundlers make it a file that readers of English never load. */
export const findLanguage: FindLanguage = async (locale) => {
  try {
    const { language, script } = new Intl.Locale(locale).maximize();
    if (language === "en") return inEnglish;
    const { languages } = await import("./languages");
    return languages[`${language}-${script}`] ?? inEnglish;
  } catch {
    return inEnglish; // not a tag, or no connection
  }
};
