/**
 * Time to render one simple e-mail, compared with React Email and `mjml` rendering the same content. Everything runs as in production:
 * ours is bundled like the server, Markdown is rendered in the worker threads, and nothing runs under `tsx`, which slows down an
 * `import()` that `@react-email/render` does for each e-mail. Two kinds of work are compared: Markdown to HTML and text, as React
 * Email's documentation does it; and HTML alone, from ready parts. Aim: at least 5 times as fast as either.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { installPeers } from "./peers";
import type { BenchmarkResult } from "./result";

const folder = fileURLToPath(new URL("email", import.meta.url));
const bundle = fileURLToPath(new URL("../../.cache/benchmarks/email.mjs", import.meta.url));

export async function run(): Promise<BenchmarkResult> {
  const peers = installPeers(folder);
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
  const { status, stdout } = spawnSync(process.execPath, [bundle, `${folder}/peers.mjs`], {
    // React is several times slower in development.
    env: { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error("The benchmark ended early.");
  const measured: Omit<BenchmarkResult, "peers"> = JSON.parse(stdout);
  return { ...measured, peers };
}
