/**
 * `npm run test:bundlers`: tests the element's package in production builds of the usual bundlers, in Chromium, and its server entry
 * in the usual servers; generated clients of the API; and libraries with which customers use their databases. They are installed in this
 * folder because the product does not need them; `npm test` covers esbuild and Vite.
 * The starters of `examples/` are tested, too, with the built app, which `npm run build` makes.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../tests/support/machine/find-chromium";

const here = fileURLToPath(new URL(".", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "platform-embed-reports-"));
const report = join(reports, "bundlers.json");

const run = (command: string, args: string[], cwd: string, env: Record<string, string> = {}): boolean =>
  spawnSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] })
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

/** Reads the counts from the report; zeros if the run ended before it wrote one. */
function readCounts(): { passed: number; failed: number } {
  try {
    const { stats } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: stats.expected, failed: stats.unexpected + stats.flaky };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
