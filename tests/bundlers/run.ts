/**
 * `npm run test:bundlers`: the element's package in the production builds of the usual bundlers, each run in Chromium, and its server entry below the usual servers. They are
 * installed here and not with the product, which does not need them. `npm test` holds the two that it has.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../support/find-chromium";

const here = fileURLToPath(new URL(".", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "platform-embed-reports-"));
const report = join(reports, "bundlers.json");

const run = (command: string, words: string[], cwd: string, env: Record<string, string> = {}): boolean =>
  spawnSync(command, words, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] })
    .status === 0;

const succeeded =
  run("npm", ["ci", "--no-audit", "--no-fund"], here) &&
  run(
    "npx",
    ["--no-install", "playwright", "test", "--config", here, "--reporter=list,json"],
    join(here, "../.."),
    {
      CHROMIUM_PATH: findChromium(console.log),
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    },
  );
const { passed, failed } = readCounts();
rmSync(reports, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(succeeded ? 0 : 1);

/** What the report counts; a runner that died before it wrote one has counted nothing. */
function readCounts(): { passed: number; failed: number } {
  try {
    const { stats } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: stats.expected, failed: stats.unexpected + stats.flaky };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
