import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";

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
} satisfies BuildOptions;
