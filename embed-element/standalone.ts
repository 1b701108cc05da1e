import { fileURLToPath } from "node:url";
import type { BuildOptions, Plugin } from "esbuild";
import { litInside } from "./lit-inside";

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
  ...litInside,
  entryPoints: [fileURLToPath(new URL("src/index.ts", import.meta.url))],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  plugins: [...litInside.plugins, fetchedLanguages],
} satisfies BuildOptions;
