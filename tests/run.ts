/**
 * `npm test`: runs every check and test, the cheapest steps first. It stops at the first step that fails. The last line of the
 * output counts the tests.
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
import { findChromium } from "./support/machine/find-chromium";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "platform-embed-reports-"));
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  // Otherwise each process prints the AWS SDK's warning about the Node versions it will require.
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
};

interface Step {
  name: string;
  title: string;
  args: string[];
  /** that `args` are for; npx by default */
  program?: string;
  /** the test runner's JSON report, if the step has tests */
  report?: string;
  /** Runs together with the neighbouring steps of the same group: none needs a file of another one. Its output is printed when it ends. */
  group?: "checks" | "builds";
}

const vitest = (project: string, title: string): Step => {
  const report = join(reports, `${project}.json`);
  return {
    name: project,
    title,
    report,
    args: ["vitest", "run", "--config", "tests/vitest.config.ts", "--project", project].concat([
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ]),
  };
};
/** TypeScript 7 checks in a third of the time. `typescript` is version 5, which Remix and openapi-typescript work with. */
const tsc = (title: string, ...args: string[]): Step => ({
  name: "types",
  title,
  program: process.execPath,
  args: ["node_modules/typescript-7/bin/tsc", ...args],
  group: "checks",
});
const browserReport = join(reports, "e2e.json");
const steps: Step[] = [
  { name: "generate", title: "Prisma client", args: ["tsx", "prisma/generate.ts"] },
  { name: "generate", title: "Types of the sentences", args: ["tsx", "app/commands/locale-types.ts"] },
  tsc("Types, in browsers", "--project", "tsconfig.browser.json"),
  tsc("Types, on servers", "--project", "tsconfig.server.json"),
  tsc("Types of everything"),
  {
    name: "lint",
    title: "Lint and format",
    args: ["biome", "check", "--error-on-warnings", "."],
    group: "checks",
  },
  {
    name: "imports",
    title: "Import rules",
    group: "checks",
    args: [
      "depcruise",
      "--config",
      ".dependency-cruiser.cjs",
      "app",
      "embed-element",
      "lab",
      "local",
      "prisma",
      "tests",
    ],
  },
  { name: "build", title: "Build the app", args: ["remix", "build"], group: "builds" },
  { name: "element", title: "Build the element", args: ["tsx", "embed-element/build.ts"], group: "builds" },
  {
    name: "assets",
    title: "Build PDF.js and the service worker",
    args: ["tsx", "app/commands/build-assets.ts"],
    group: "builds",
  },
  {
    name: "commands",
    title: "Build the commands",
    args: ["tsx", "app/commands/build-commands.ts"],
    group: "builds",
  },
  vitest("unit", "Unit tests"),
  vitest("contract", "Contract with the object store"),
  vitest("integration", "Integration tests, against the built app and the local stack"),
  {
    name: "e2e",
    title: "Browser tests",
    args: ["playwright", "test", "--project=behaviour", "--workers=4", "--reporter=list,json"],
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
  console.error(`Unknown step: ${unknown.join(", ")}. The steps are ${names.join(", ")}.`);
  process.exit(2);
}

const count = { passed: 0, failed: 0 };
let failedStep: string | undefined;
const chosen = steps.filter(({ name }) => wanted?.includes(name) ?? true);
while (chosen.length > 0 && failedStep === undefined) {
  const [{ group } = {}] = chosen;
  const next = chosen.findIndex((step) => group === undefined || step.group !== group);
  const together = chosen.splice(0, next === -1 ? chosen.length : Math.max(next, 1));
  const failed = await Promise.all(
    together.map(async (step) => ((await run(step)) ? undefined : step.title)),
  );
  failedStep = failed.find((title) => title !== undefined);
}
rmSync(reports, { recursive: true, force: true });

if (failedStep) console.error(`\nFailed: ${failedStep}.`);
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exit(failedStep ? 1 : 0);

/** Returns whether the step succeeded. */
async function run(step: Step): Promise<boolean> {
  if (!step.group) console.log(`\n== ${step.title}`);
  const started = performance.now();
  if (step.name === "e2e") {
    environment.CHROMIUM_PATH = findChromium(console.log);
    environment.PLAYWRIGHT_JSON_OUTPUT_NAME = browserReport;
  }
  const output = step.group ? "pipe" : "inherit";
  const { program = "npx", args } = step;
  const child = spawn(program, program === "npx" ? ["--no-install", ...args] : args, {
    cwd: root,
    env: environment,
    stdio: ["ignore", output, output],
  });
  const ended = once(child, "close");
  const outputs = [child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream)));
  const [status] = await ended;
  if (step.group) console.log(`\n== ${step.title}\n${(await Promise.all(outputs)).join("")}`);
  if (step.report) add(step.report);
  console.log(`-- ${step.title}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return status === 0;
}

/** Adds a report's counts to the total. If the runner crashed before it wrote a report, its exit code has already failed the step. */
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
