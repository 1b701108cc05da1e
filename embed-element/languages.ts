import type { Plugin } from "esbuild";
import { isRightToLeft } from "../app/locales/choose-language.server";
import { languages } from "../app/locales/languages.server";

/** The module that `src/languages.d.ts` declares: the element's own section of every language. */
export const bundledLanguages: Plugin = {
  name: "bundled-languages",
  setup(build) {
    build.onResolve({ filter: /\/languages$/ }, () => ({ path: "languages", namespace: "locales" }));
    build.onLoad({ filter: /.*/, namespace: "locales" }, () => ({
      contents: `export const languages = ${JSON.stringify(describeLanguages())};`,
    }));
  },
};

/** By language and script, which decide what a reader of `pt-PT` or `zh-CN` can read. */
export function describeLanguages(): Record<string, object> {
  const { en, ...others } = languages;
  const entries = Object.entries(others).map(([tag, { element }]) => {
    const { language, script } = new Intl.Locale(tag).maximize();
    const sentences = { ...en?.element, ...element };
    return [`${language}-${script}`, { sentences, locale: tag, dir: isRightToLeft(tag) ? "rtl" : "ltr" }];
  });
  return Object.fromEntries(entries);
}
