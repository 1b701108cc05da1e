import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { type Formats, formatsFor } from "../../locales/format";
import type { PageLanguage } from "../../locales/languages.server";
import { createTranslate, type Translate } from "../../locales/translate";

/** The sentences of one section, and how its language writes dates and numbers. */
export interface Language<Section> {
  t: Translate<Section>;
  formats: Formats;
}

/** A language for the components of one section of the locales: call it once for each service. */
export function createLanguageContext<Section>() {
  const LanguageContext = createContext<Language<Section> | null>(null);

  /** @throws Error outside of a `LanguageContext.Provider` */
  function useLanguage(): Language<Section> {
    const language = useContext(LanguageContext);
    if (language === null) throw new Error("Wrap the component in a LanguageContext.Provider.");
    return language;
  }

  /** The first rendering shows times in UTC, as the server does; later ones in the person's time zone. */
  function useLanguageOf({ sentences, locale, dir }: PageLanguage): Language<Section> {
    const [timeZone, setTimeZone] = useState<string | undefined>("UTC");
    useEffect(() => setTimeZone(undefined), []);
    const t = useMemo(() => createTranslate<Section>(sentences, locale), [sentences, locale]);
    const formats = useMemo(() => formatsFor(locale, timeZone, dir === "rtl"), [locale, timeZone, dir]);
    return useMemo(() => ({ t, formats }), [t, formats]);
  }

  return { LanguageContext, useLanguage, useLanguageOf };
}
