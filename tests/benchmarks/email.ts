/**
 * Time to render one simple e-mail, compared with React Email and `mjml` rendering the same content. Everything runs as in production:
 * ours is bundled like the server, Markdown is rendered in the worker threads, and nothing runs under `tsx`, which slows down an
 * `import()` that `@react-email/render` does for each e-mail. Two kinds of work are compared: Markdown to HTML and text, as React
 * Email's documentation does it; and HTML alone, from ready parts. Aim: at least 5 times as fast as either.
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
