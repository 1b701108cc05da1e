import type { LoadLanguages } from "./load-languages.js";

/** the version of the package; the build inserts it */
declare const VERSION: string;

const script = document.currentScript as HTMLScriptElement | null;

/**
 * Replaces `load-languages.ts` in the file for script tags: the module is in the same folder as the script. Its URL is
 * absolute, because browsers resolve no relative imports in a classic script of another origin. Bundlers must leave it alone.
 */
export const loadLanguages: LoadLanguages = async () => {
  const url = new URL(`platform-embed@${VERSION}.languages.js`, script?.src);
  return import(/* @vite-ignore */ /* webpackIgnore: true */ url.href);
};
