import type { Language } from "./words";

/** Every language but English, by language and script (`pt-Latn`). Not a file: the build makes it from `app/locales/`. */
export const languages: Readonly<Record<string, Language>>;
