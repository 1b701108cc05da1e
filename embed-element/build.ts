/**
 * `npm run build:element`: the package in `embed-element/dist/` (ES modules, types, the file for a script tag, the custom-elements
 * manifest), and in `public/` what the app serves to script tags. `npm run build:element -- --readme` also writes the README's tables
 * anew, from the doc comments; `-- --release` keeps this version's files in `embed-element/released/`, to be committed.
 */
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import ts from "typescript";
import { bundledLanguages, describeLanguages } from "./languages";
import { litInside } from "./lit-inside";
import { describeElement, describeInMarkdown } from "./manifest";
import { keepRelease, serveFiles } from "./serve-files";
import { standalone } from "./standalone";

/** The limit for the stand-alone file, gzip bytes: 9 kB, Lit included. */
const SIZE_LIMIT = 9_000;

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await rm(at("dist"), { recursive: true, force: true });
await buildStandalone();
await buildModules();
await buildCommand();
await buildTypes();
await writeDescriptions();

async function buildStandalone(): Promise<void> {
  const outfile = at("dist/platform-embed.js");
  await build({ ...standalone, outfile });
  // A second time, by a minifier that goes further: some 200 bytes less.
  const { code } = await minify(await readFile(outfile, "utf8"), { ecma: 2020, compress: { passes: 3 } });
  await writeFile(outfile, code ?? "");
  const size = gzipSync(await readFile(outfile), { level: 9 }).length;
  if (size > SIZE_LIMIT)
    throw new Error(`platform-embed.js has ${size} bytes gzip; the limit is ${SIZE_LIMIT}.`);
  await writeFile(at("dist/platform-embed.languages.json"), JSON.stringify(describeLanguages()));
  console.log(`platform-embed.js: ${size} bytes gzip, of ${SIZE_LIMIT} allowed`);
  const files = {
    js: outfile,
    css: at("style.css"),
    "languages.json": at("dist/platform-embed.languages.json"),
  };
  if (process.argv.includes("--release")) await keepRelease(files);
  await serveFiles(files);
}

async function buildModules(): Promise<void> {
  await build({
    ...litInside,
    entryPoints: {
      index: at("src/index.ts"),
      react: at("src/react.ts"),
      protocol: at("protocol.ts"),
      server: at("src/server/index.ts"),
    },
    outdir: at("dist"),
    bundle: true,
    splitting: true,
    external: ["@lit/react", "react"],
    format: "esm",
    target: "es2022",
    chunkNames: "[name]-[hash]",
    // Lit's is in the package's LICENSE.
    legalComments: "none",
    plugins: [bundledLanguages, ...litInside.plugins],
  });
}

/** `npx platform-embed-element`. */
async function buildCommand(): Promise<void> {
  const outfile = at("dist/cli.js");
  await build({
    entryPoints: [at("doctor/cli.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: "#!/usr/bin/env node" },
  });
  await chmod(outfile, 0o755);
}

async function buildTypes(): Promise<void> {
  const config = ts.getParsedCommandLineOfConfigFile(
    at("tsconfig.build.json"),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: report,
    },
  );
  if (!config) throw new Error("tsconfig.build.json cannot be read.");
  const program = ts.createProgram(config.fileNames, config.options);
  // Our sources import without file extensions; Node's resolution, which the package's users may have, wants them.
  const { diagnostics } = program.emit(undefined, (path, text) =>
    ts.sys.writeFile(path, text.replace(/(from\s+"\.{1,2}\/[^"]+)"/g, '$1.js"')),
  );
  for (const diagnostic of [...ts.getPreEmitDiagnostics(program), ...diagnostics]) report(diagnostic);
}

function report(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
}

async function writeDescriptions(): Promise<void> {
  const { manifest, element } = describeElement();
  await writeFile(at("dist/custom-elements.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  if (!process.argv.includes("--readme")) return;
  const readme = await readFile(at("README.md"), "utf8");
  const api = `<!-- api -->\n\n${describeInMarkdown(element)}\n\n<!-- /api -->`;
  await writeFile(
    at("README.md"),
    readme.replace(/<!-- api -->.*<!-- \/api -->/s, () => api),
  );
}
