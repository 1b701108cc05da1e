/** Builds the element for a script tag: one minified file that defines the tag. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { standalone } from "./standalone";

const outfile = fileURLToPath(new URL("../public/platform-embed.js", import.meta.url));

await build({ ...standalone, outfile });
const size = gzipSync(await readFile(outfile), { level: 9 }).length;
console.log(`public/platform-embed.js: ${size} bytes gzip`);
