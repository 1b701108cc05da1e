import type { Language } from "./messages.js";

/**
 * Every language but English, by language and script (`pt-Latn`). The build writes this module from `app/locales/`:
 * `dist/src/languages.js` for the package, and `platform-embed@VERSION.languages.js` beside the file for script tags.
 */
export const languages: Readonly<Record<string, Language>>;
