/**
 * Time to render one simple e-mail, against React Email and `mjml` rendering the same content. Everything runs as it does in
 * production: ours bundled as the server is, and in Node without `tsx`, which makes the `import()` that `@react-email/render` does for
 * each e-mail cost three times as much as the rendering. Compared is the same work: Markdown to HTML and text, as React Email's
 * documentation has it; and HTML alone, of parts that are ready.
 * Aims: 5 times as fast as either with the same work; a median of at most 0.15 ms.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL("email", import.meta.url));
const bundle = fileURLToPath(new URL("../../.cache/benchmarks/email.mjs", import.meta.url));

export async function run(): Promise<void> {
  if (!existsSync(`${folder}/node_modules/@react-email/components`)) {
    console.log("Installing the peers …");
    const options = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
    const { status } = spawnSync("npm", options, { cwd: folder, stdio: "inherit" });
    if (status !== 0) throw new Error("The peers could not be installed.");
  }
  await build({
    entryPoints: [`${folder}/measure.ts`],
    outfile: bundle,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "warning",
  });
  const { status } = spawnSync(process.execPath, [bundle, `${folder}/peers.mjs`], {
    // React is several times slower in development.
    env: { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "" },
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("The benchmark ended early.");
}
