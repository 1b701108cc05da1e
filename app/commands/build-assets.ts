/**
 * `npm run build:assets`: builds what Remix's compiler does not: PDF.js, the workers of the explorer, the script of refused pages and the
 * server's worker for Markdown.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { pdfWorkerScript } from "../services/files/browse/pictures/pdf-worker-script";

// PDF.js is served as it is published, because Remix's compiler breaks its static private fields. With the version in its path it can be
// cached, and a page never loads a worker of another version. The other build needs browsers of the last months.
const pdfjs = "node_modules/pdfjs-dist";
const { version } = JSON.parse(readFileSync(`${pdfjs}/package.json`, "utf8"));
// An older version, whose defects are known, must not be served because a checkout was built before.
rmSync("public/pdfjs", { recursive: true, force: true });
for (const file of ["pdf.min.mjs", "pdf.worker.min.mjs"]) {
  cpSync(`${pdfjs}/legacy/build/${file}`, `public/pdfjs/${version}/${file}`);
}
writeFileSync(`public/pdfjs/${version}/worker.mjs`, pdfWorkerScript);
// Character maps, standard fonts and image decoders, which only some documents need.
for (const folder of ["cmaps", "standard_fonts", "wasm"]) {
  cpSync(`${pdfjs}/${folder}`, `public/pdfjs/${version}/${folder}`, { recursive: true });
}

await build({
  entryPoints: ["app/services/files/downloads/zip/worker.ts"],
  // Without a hash in its name: browsers look for a newer service worker at the same address.
  outfile: "public/embed-downloads/worker.js",
  bundle: true,
  minify: true,
  target: "es2022",
});

// In development, Remix's compiler puts its live reload into every module that it builds. That needs a `window`, which workers lack.
await build({
  entryPoints: {
    archive: "app/services/files/preview/archive/archive.worker.ts",
    checksum: "app/services/files/uploads/checksum.worker.ts",
    comparison: "app/services/files/details/comparison/comparison.worker.ts",
    document: "app/services/files/preview/office/document.worker.ts",
    drawing: "app/services/files/browse/pictures/drawing/drawing.worker.ts",
    encoding: "app/services/files/browse/encoding.worker.ts",
    heic: "app/services/files/browse/pictures/heic.worker.ts",
    highlight: "app/services/files/preview/text/highlight.worker.ts",
    markdown: "app/services/files/preview/text/markdown.worker.ts",
    "pdf-streams": "app/services/files/browse/pictures/pdf-streams.worker.ts",
    sheet: "app/services/files/preview/office/sheet.worker.ts",
  },
  outdir: "public/embed-workers",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
});

// libheif is under the LGPL, whose text must be beside the copy in the worker. Whoever wants another version of it builds the worker again.
cpSync("node_modules/libheif-js/libheif-wasm/LICENSE", "public/embed-workers/heic.LICENSE.txt");

// It is inlined. As part of Remix's build, what it shares with the pages of services would be further files of theirs.
await build({
  entryPoints: ["app/embed/frame/replace-refused-page.ts"],
  outfile: "build/replace-refused-page.js",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
});

// A worker thread loads a file of its own, apart from the server's bundle.
await build({
  entryPoints: ["app/email/markdown-worker.server.ts"],
  outfile: "build/markdown-worker.js",
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20.19",
});
