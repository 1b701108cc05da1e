import { languages } from "./languages";
import { type FindLanguage, inEnglish } from "./words";

/** Of the package, which brings all languages: it is asked before there is any embed URL, and says that there is no connection. */
export const findLanguage: FindLanguage = async (locale) => {
  try {
    const { language, script } = new Intl.Locale(locale).maximize();
    return languages[`${language}-${script}`] ?? inEnglish;
  } catch {
    return inEnglish; // not a tag
  }
};
