import { useCallback } from "react";
import { createLanguageContext } from "../../../embed/components/language";
import type { English, Translate as TranslateSection } from "../../../locales/translate";
import { visibleText } from "../../../locales/visible-text";

/** Translates a key of the explorer's section of the locales. */
export type Translate = TranslateSection<English["files"]>;

export const { LanguageContext, useLanguage, useLanguageOf } = createLanguageContext<English["files"]>();

/** The name of a file or folder as it is shown: it may be empty, or have characters that cannot be seen. */
export function useVisibleName(): (name: string) => string {
  const { t } = useLanguage();
  return useCallback((name) => visibleText(name) || t("noName"), [t]);
}

/** Whether the page is laid out from right to left. Browser only. */
export const isRightToLeft = () => document.documentElement.dir === "rtl";

/** The arrow keys that lead out of a folder and into one, by the reading direction. */
export function sideways(): { up: string; down: string } {
  const [up, down] = ["ArrowLeft", "ArrowRight"] as const;
  return isRightToLeft() ? { up: down, down: up } : { up, down };
}
