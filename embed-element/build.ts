/**
 * `npm run build:element` builds the package into `embed-element/dist/` and copies its files for script tags to `public/`.
 *
 * `-- --readme` also updates the API tables in the README from the doc comments.
 * `-- --release` also keeps the files of this version in `embed-element/released/`, to be committed.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { languagesModule } from "./languages";
import { describeElement, describeInMarkdown } from "./manifest";
import { keepRelease, publishScripts } from "./script-files";
import { standalone, standaloneChooser, version } from "./standalone";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(at("dist"), { recursive: true, force: true });

// The package: ES modules that import Lit, with types and source maps.
execFileSync(process.execPath, [tsc, "-p", at("tsconfig.build.json")], { stdio: "inherit" });
writeFileSync(at("dist/src/languages.js"), languagesModule());

// The files for script tags. Those with the version in their name never change once they are released.
const script = at(`dist/standalone/platform-embed@${version}.js`);
await build({ ...standalone, outfile: script, sourcemap: true });
copyFileSync(script, at("dist/standalone/platform-embed.js"));
const chooser = at(`dist/standalone/platform-embed@${version}.choose.js`);
await build({ ...standaloneChooser, outfile: chooser });
copyFileSync(chooser, at("dist/standalone/platform-embed.choose.js"));
copyFileSync(at("style.css"), at("dist/standalone/platform-embed.css"));
copyFileSync(at("style.css"), at(`dist/standalone/platform-embed@${version}.css`));
writeFileSync(at(`dist/standalone/platform-embed@${version}.languages.js`), languagesModule());
console.log(`platform-embed.js: ${gzipSync(readFileSync(script), { level: 9 }).length} bytes gzip`);

// `npx platform-embed-element`.
const command = at("dist/cli.js");
await build({
  entryPoints: [at("doctor/cli.ts")],
  outfile: command,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  banner: { js: "#!/usr/bin/env node" },
});
chmodSync(command, 0o755);

const { manifest, element } = describeElement();
writeFileSync(at("dist/custom-elements.json"), `${JSON.stringify(manifest, null, 2)}\n`);
if (process.argv.includes("--readme")) {
  const api = `<!-- api -->\n\n${describeInMarkdown(element)}\n\n<!-- /api -->`;
  const readme = readFileSync(at("README.md"), "utf8");
  writeFileSync(
    at("README.md"),
    readme.replace(/<!-- api -->.*<!-- \/api -->/s, () => api),
  );
}

if (process.argv.includes("--release")) keepRelease();
publishScripts();
