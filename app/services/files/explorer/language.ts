import { createContext, useContext } from "react";
import { type Messages, messagesFor } from "../../../locales/messages";
import { type Formats, formatsFor } from "./format";

export interface Language {
  messages: Messages;
  formats: Formats;
}

export function languageFor(locale: string, timeZone: string | undefined): Language {
  return { messages: messagesFor(locale), formats: formatsFor(locale, timeZone) };
}

export const LanguageContext = createContext<Language | null>(null);

export function useLanguage(): Language {
  const language = useContext(LanguageContext);
  if (language === null) throw new Error("Wrap the component in a LanguageContext.Provider.");
  return language;
}
