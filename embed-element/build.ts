/** Builds the element for a script tag: one minified file that defines the tag. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const outfile = at("../public/platform-embed.js");

await build({
  entryPoints: [at("src/platform-embed.ts")],
  outfile,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  conditions: ["production", "browser"],
  legalComments: "none",
});
const size = gzipSync(await readFile(outfile), { level: 9 }).length;
console.log(`public/platform-embed.js: ${size} bytes gzip`);
