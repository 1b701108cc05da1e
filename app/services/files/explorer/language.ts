import { createContext, useCallback, useContext, useEffect, useMemo, useState } from "react";
import type { PageLanguage } from "../../../locales/languages.server";
import {
  createTranslate,
  type English,
  type Translate as TranslateSection,
} from "../../../locales/translate";
import { fileKind } from "./file-kind";
import { type Formats, formatsFor } from "./format";

/** Translates a key of the explorer's section of the locales. */
export type Translate = TranslateSection<English["files"]>;

export interface Language {
  t: Translate;
  formats: Formats;
}

/** The first rendering shows times in UTC, as the server does; later ones in the person's time zone. */
export function useLanguageOf({ sentences, locale, dir }: PageLanguage): Language {
  const [timeZone, setTimeZone] = useState<string | undefined>("UTC");
  useEffect(() => setTimeZone(undefined), []);
  const t: Translate = useMemo(() => createTranslate(sentences, locale), [sentences, locale]);
  const formats = useMemo(() => formatsFor(locale, timeZone, dir === "rtl"), [locale, timeZone, dir]);
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

/** Whether the page is laid out from right to left. Browser only. */
export const isRightToLeft = () => document.documentElement.dir === "rtl";

/** The arrow keys that lead out of a folder and into one, by the reading direction. */
export function sideways(): { up: string; down: string } {
  const [up, down] = ["ArrowLeft", "ArrowRight"] as const;
  return isRightToLeft() ? { up: down, down: up } : { up, down };
}

/** Names the type of a file, as in the column of types. */
export function useTypeOf(): (name: string) => string {
  const { t } = useLanguage();
  return useCallback(
    (name) => {
      const kind = fileKind(name);
      return t(kind === "other" ? "kinds.file" : `kinds.${kind}`);
    },
    [t],
  );
}
