import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { type Messages, messagesFor } from "../../../locales/messages";
import { type Formats, formatsFor } from "./format";

export interface Language {
  messages: Messages;
  formats: Formats;
}

/** In the first rendering, times are in UTC, as on the server; after that in the reader's own zone. */
export function useLanguageOf(locale: string): Language {
  const [timeZone, setTimeZone] = useState<string | undefined>("UTC");
  useEffect(() => setTimeZone(undefined), []);
  return useMemo(
    () => ({ messages: messagesFor(locale), formats: formatsFor(locale, timeZone) }),
    [locale, timeZone],
  );
}

export const LanguageContext = createContext<Language | null>(null);

export function useLanguage(): Language {
  const language = useContext(LanguageContext);
  if (language === null) throw new Error("Wrap the component in a LanguageContext.Provider.");
  return language;
}
