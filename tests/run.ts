/**
 * `npm test`: everything, in the order in which faults are cheapest to find. It stops at the first step that fails, and ends
 * with one line that counts the tests.
 *
 *   npm test                   all steps
 *   npm test -- --only e2e     one step, or several separated by commas
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { findChromium } from "./support/find-chromium";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "platform-embed-reports-"));
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  // Which Node the AWS SDK will want some day would be said by each of many processes.
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
};

interface Step {
  name: string;
  says: string;
  words: string[];
  /** the JSON report of the test runner, where the step has tests */
  report?: string;
}

const vitest = (project: string, says: string): Step => {
  const report = join(reports, `${project}.json`);
  return {
    name: project,
    says,
    report,
    words: ["vitest", "run", "--config", "tests/vitest.config.ts", "--project", project].concat([
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ]),
  };
};
const browserReport = join(reports, "e2e.json");
const steps: Step[] = [
  { name: "generate", says: "Prisma client", words: ["tsx", "prisma/generate.ts"] },
  { name: "types", says: "Types, in browsers", words: ["tsc", "--project", "tsconfig.browser.json"] },
  { name: "types", says: "Types, on servers", words: ["tsc", "--project", "tsconfig.server.json"] },
  { name: "types", says: "Types of everything", words: ["tsc"] },
  { name: "lint", says: "Lint and format", words: ["biome", "check", "--error-on-warnings", "."] },
  {
    name: "imports",
    says: "Import rules",
    words: [
      "depcruise",
      "--config",
      ".dependency-cruiser.cjs",
      "app",
      "embed-element",
      "local",
      "prisma",
      "tests",
    ],
  },
  { name: "element", says: "Build the element", words: ["tsx", "embed-element/build.ts"] },
  { name: "build", says: "Build the app", words: ["remix", "build"] },
  { name: "commands", says: "Build the commands", words: ["tsx", "app/commands/build.ts"] },
  vitest("unit", "Unit tests"),
  vitest("contract", "Contract with the object store"),
  vitest("integration", "Integration tests, against the built app and the local stack"),
  vitest("engines", "Smoke tests in Firefox and WebKit, where they are installed"),
  {
    name: "e2e",
    says: "Browser tests",
    words: ["playwright", "test", "--reporter=list,json"],
    report: browserReport,
  },
];

const names = [...new Set(steps.map(({ name }) => name))];
const { only } = new Command("npm test --")
  .description("Runs every check and test.")
  .option("--only <steps>", `one or several of ${names.join(", ")}`)
  .parse()
  .opts<{ only?: string }>();
const wanted = only?.split(",");
const unknown = wanted?.filter((name) => !names.includes(name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(", ")}. There are ${names.join(", ")}.`);
  process.exit(2);
}

const count = { passed: 0, failed: 0 };
let failedStep: string | undefined;
for (const step of steps.filter(({ name }) => wanted?.includes(name) ?? true)) {
  console.log(`\n== ${step.says}`);
  const started = performance.now();
  if (step.name === "e2e") {
    environment.CHROMIUM_PATH = findChromium(console.log);
    environment.PLAYWRIGHT_JSON_OUTPUT_NAME = browserReport;
  }
  const { status } = spawnSync("npx", ["--no-install", ...step.words], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (step.report) add(step.report);
  console.log(`-- ${step.says}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (status !== 0) {
    failedStep = step.says;
    break;
  }
}
rmSync(reports, { recursive: true, force: true });

if (failedStep) console.error(`\nFailed: ${failedStep}.`);
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exit(failedStep ? 1 : 0);

/** Adds what a report counted. A runner that died before it wrote one has failed already, by its exit code. */
function add(file: string): void {
  let report: {
    numPassedTests?: number;
    numFailedTests?: number;
    stats?: { expected: number; unexpected: number; flaky: number };
  };
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return;
  }
  count.passed += report.numPassedTests ?? report.stats?.expected ?? 0;
  count.failed += report.numFailedTests ?? (report.stats ? report.stats.unexpected + report.stats.flaky : 0);
}
