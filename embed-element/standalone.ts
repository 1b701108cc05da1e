import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type BuildOptions, type Plugin, transform } from "esbuild";

/**
 * Takes spaces and comments out of the style sheet, which to esbuild is a text like any other, and makes it one of the browser's, which Lit takes
 * as it is: that leaves out what Lit has for servers and old browsers.
 */
const minifiedStyles: Plugin = {
  name: "minified-styles",
  setup(build) {
    build.onLoad({ filter: /embed-element[\\/]src[\\/]styles\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const [template, styles = ""] = /css`([^`]*)`/.exec(source) ?? [];
      if (!template) throw new Error(`There is no style sheet in ${path}.`);
      const { code } = await transform(styles, { loader: "css", minify: true });
      return {
        contents: `export const styles = new CSSStyleSheet();
          styles.replaceSync(${JSON.stringify(code.trim())});`,
      };
    });
  },
};

/** Where the package brings all languages, this file asks for the one that is needed: it would be a fifth larger with all of them. */
const fetchedLanguages: Plugin = {
  name: "fetched-languages",
  setup(build) {
    const path = fileURLToPath(new URL("src/fetch-language.ts", import.meta.url));
    build.onResolve({ filter: /\/find-language$/ }, () => ({ path }));
  },
};

/** esbuild's options for the file that a script tag loads: everything in it, and the tag defined. */
export const standalone = {
  entryPoints: [fileURLToPath(new URL("src/index.ts", import.meta.url))],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  // All of Lit that we use is its reactive core; through `lit` the templates would come along unused.
  alias: { lit: "@lit/reactive-element" },
  conditions: ["production", "browser"],
  legalComments: "none",
  plugins: [minifiedStyles, fetchedLanguages],
  // What Lit names so is for its own parts, and all of them are in this file.
  mangleProps: /^_\$/,
} satisfies BuildOptions;
