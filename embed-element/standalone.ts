import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type BuildOptions, type Plugin, transform } from "esbuild";

/** Takes spaces and comments out of the style sheet, which to esbuild is a text like any other. */
const minifiedStyles: Plugin = {
  name: "minified-styles",
  setup(build) {
    build.onLoad({ filter: /embed-element[\\/]src[\\/]styles\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const [template, styles = ""] = /css`([^`]*)`/.exec(source) ?? [];
      if (!template) throw new Error(`There is no style sheet in ${path}.`);
      const { code } = await transform(styles, { loader: "css", minify: true });
      return { contents: source.replace(template, () => `css\`${code.trim()}\``), loader: "ts" };
    });
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
  plugins: [minifiedStyles],
  // What Lit names so is for its own parts, and all of them are in this file.
  mangleProps: /^_\$/,
} satisfies BuildOptions;
