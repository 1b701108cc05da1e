import { createContext, useContext, useEffect, useMemo, useState } from "react";
import type { PageLanguage } from "../../../locales/languages.server";
import {
  createTranslate,
  type English,
  type Translate as TranslateSection,
} from "../../../locales/translate";
import { type Formats, formatsFor } from "./format";

/** Says what the explorer's section of the languages has by that name. */
export type Translate = TranslateSection<English["files"]>;

export interface Language {
  t: Translate;
  formats: Formats;
}

/** In the first rendering, times are in UTC, as on the server; after that in the reader's own zone. */
export function useLanguageOf({ sentences, locale, dir }: PageLanguage): Language {
  const [timeZone, setTimeZone] = useState<string | undefined>("UTC");
  useEffect(() => setTimeZone(undefined), []);
  const t: Translate = useMemo(() => createTranslate(sentences, locale), [sentences, locale]);
  const formats = useMemo(() => formatsFor(locale, timeZone, dir === "rtl"), [locale, timeZone, dir]);
  // The page's name, too, is in the language that the page around has changed to.
  useEffect(() => {
    document.title = t("root");
  }, [t]);
  return useMemo(() => ({ t, formats }), [t, formats]);
}

export const LanguageContext = createContext<Language | null>(null);

export function useLanguage(): Language {
  const language = useContext(LanguageContext);
  if (language === null) throw new Error("Wrap the component in a LanguageContext.Provider.");
  return language;
}
