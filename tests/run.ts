/**
 * `npm test`: everything, in the order in which faults are cheapest to find. It stops at the first step that fails, and ends
 * with one line that counts the tests.
 *
 *   npm test                   all steps
 *   npm test -- --only e2e     one step, or several separated by commas
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
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
  /** Keeps one core busy and changes nothing: runs beside the others that do. What it says comes when it has ended. */
  beside?: true;
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
  {
    name: "types",
    says: "Types, in browsers",
    words: ["tsc", "--project", "tsconfig.browser.json"],
    beside: true,
  },
  {
    name: "types",
    says: "Types, on servers",
    words: ["tsc", "--project", "tsconfig.server.json"],
    beside: true,
  },
  { name: "types", says: "Types of everything", words: ["tsc"], beside: true },
  {
    name: "lint",
    says: "Lint and format",
    words: ["biome", "check", "--error-on-warnings", "."],
    beside: true,
  },
  {
    name: "imports",
    says: "Import rules",
    beside: true,
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
const chosen = steps.filter(({ name }) => wanted?.includes(name) ?? true);
while (chosen.length > 0 && failedStep === undefined) {
  const next = chosen.findIndex(({ beside }) => !beside);
  const together = chosen.splice(0, next === -1 ? chosen.length : Math.max(next, 1));
  const failed = await Promise.all(together.map(async (step) => ((await run(step)) ? undefined : step.says)));
  failedStep = failed.find((says) => says !== undefined);
}
rmSync(reports, { recursive: true, force: true });

if (failedStep) console.error(`\nFailed: ${failedStep}.`);
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exit(failedStep ? 1 : 0);

/** Whether it succeeded. */
async function run(step: Step): Promise<boolean> {
  if (!step.beside) console.log(`\n== ${step.says}`);
  const started = performance.now();
  if (step.name === "e2e") {
    environment.CHROMIUM_PATH = findChromium(console.log);
    environment.PLAYWRIGHT_JSON_OUTPUT_NAME = browserReport;
  }
  const output = step.beside ? "pipe" : "inherit";
  const child = spawn("npx", ["--no-install", ...step.words], {
    cwd: root,
    env: environment,
    stdio: ["ignore", output, output],
  });
  const ended = once(child, "close");
  const said = [child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream)));
  const [status] = await ended;
  if (step.beside) console.log(`\n== ${step.says}\n${(await Promise.all(said)).join("")}`);
  if (step.report) add(step.report);
  console.log(`-- ${step.says}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return status === 0;
}

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
