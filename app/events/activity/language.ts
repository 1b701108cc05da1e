import { createLanguageContext } from "../../embed/components/language";
import type { English } from "../../locales/translate";

export const { LanguageContext, useLanguage, useLanguageOf } = createLanguageContext<English["activity"]>();
