import { fileURLToPath } from "node:url";
import { test } from "../../tests/e2e/element-support";
import { expectElement } from "../../tests/e2e/expect-element";
import { type Bundler, bundle, type Entry, entries } from "../../tests/support/integrator/element-package";

const productionReact = `{preventAssignment:true,values:{"process.env.NODE_ENV":'"production"'}}`;

const installed = (path: string, args: string): Bundler => ({
  script: fileURLToPath(new URL(`node_modules/${path}`, import.meta.url)),
  args,
});

/** Each bundler with its defaults, and the options that it needs for React from npm. */
const bundlers: Record<string, Bundler> = {
  esbuild: installed("esbuild/bin/esbuild", "main.js --bundle --minify --outdir=out"),
  Parcel: installed("parcel/lib/bin.js", "build index.html --no-cache --no-source-maps --dist-dir out"),
  Rolldown: installed("rolldown/bin/cli.mjs", "main.js --platform browser --minify --dir out"),
  Rollup: installed(
    "rollup/dist/bin/rollup",
    `main.js -p node-resolve={browser:true} -p commonjs -p terser -p replace=${productionReact} --dir out`,
  ),
  "Vite 5": installed("vite-5/bin/vite.js", "build --outDir out"),
  "Vite 8": installed("vite/bin/vite.js", "build --outDir out"),
  webpack: installed("webpack-cli/bin/cli.js", "build --entry ./main.js --mode production --output-path out"),
};

for (const [name, bundler] of Object.entries(bundlers)) {
  for (const entry of Object.keys(entries) as Entry[]) {
    test(`${name}: ${entry}`, async ({ site }) => {
      await expectElement(site, entry, await bundle(String(process.env.BUNDLERS_APP), entry, bundler));
    });
  }
}
