import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BuildOptions, Plugin } from "esbuild";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const { version }: { version: string } = JSON.parse(readFileSync(at("package.json"), "utf8"));

/** Leaves the other languages out of the bundle: with them it would be a sixth larger. */
const languagesBesideScript: Plugin = {
  name: "languages-beside-script",
  setup(build) {
    const path = at("src/load-languages-beside-script.ts");
    build.onResolve({ filter: /\/load-languages\.js$/ }, () => ({ path }));
  },
};

/** esbuild's options for the file that a script tag loads. It defines the tag and contains everything else, Lit included. */
export const standalone = {
  entryPoints: [at("src/define.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  banner: {
    js: `/*! platform-embed-element ${version}, MIT License. Contains Lit, BSD 3-Clause License. */`,
  },
  define: { VERSION: JSON.stringify(version) },
  plugins: [languagesBesideScript],
} satisfies BuildOptions;

/** The module with `chooseFiles()` for pages that load the element by a script tag. */
export const standaloneChooser = {
  entryPoints: [at("src/choose-files.ts")],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  plugins: [
    {
      name: "languages-beside-module",
      setup(build) {
        const path = `./platform-embed@${version}.languages.js`;
        build.onResolve({ filter: /\/languages\.js$/ }, () => ({ path, external: true }));
      },
    },
  ],
} satisfies BuildOptions;
