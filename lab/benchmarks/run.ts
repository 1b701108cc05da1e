/**
 * `npm run bench`: measures and asserts nothing. Comparisons are ratios of medians within one run on one machine. The rounds alternate, so
 * that changes in the machine's speed affect all cases. Needs `npm run build`.
 */
import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { readConditions } from "../../tests/support/machine/conditions";
import { formatPage, printResult, type Results } from "./report";
import type { BenchmarkOptions, BenchmarkResult } from "./result";

// Silences the AWS SDK's announcement of the Node version that it will need in future.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

const benchmarks: Record<
  string,
  () => Promise<{ run: (options: BenchmarkOptions) => Promise<BenchmarkResult> }>
> = {
  http: () => import("./http"),
  databases: () => import("./databases"),
  events: () => import("./events"),
  webhooks: () => import("./webhooks"),
  email: () => import("./email"),
  campaign: () => import("./campaign"),
  "page-size": () => import("./page-size"),
  "first-rows": () => import("./first-rows"),
  "long-folder": () => import("./long-folder"),
  "storage-browser": () => import("./storage-browser"),
  search: () => import("./search"),
  catalogue: () => import("./catalogue"),
  history: () => import("./history"),
  uploads: () => import("./uploads"),
  "zip-download": () => import("./zip-download"),
};

/** With ten million, the catalogue takes half an hour and 12 GB. */
const DEFAULT_ROWS = 1_000_000;
/** Fewer have no word with 10,000 hits. */
const MIN_ROWS = 20_000;

const { only, report, rows } = new Command("npm run bench --")
  .description("Measures speed and size.")
  .option("--only <names>", `one or several of ${Object.keys(benchmarks).join(", ")}`)
  .option("--report [file]", "also writes a page with all figures, their conditions and their raw numbers")
  .option("--rows <number>", "objects in the catalogue that is measured", Number, DEFAULT_ROWS)
  .parse()
  .opts<{ only?: string; report?: string | true; rows: number }>();
const wanted = only?.split(",") ?? Object.keys(benchmarks);
const unknown = wanted.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  console.error(
    `Unknown benchmark: ${unknown.join(", ")}. The benchmarks are ${Object.keys(benchmarks).join(", ")}.`,
  );
  process.exit(2);
}
if (!Number.isSafeInteger(rows) || rows < MIN_ROWS) {
  console.error(`The number of rows must be a whole number, at least ${MIN_ROWS}.`);
  process.exit(2);
}

const conditions = readConditions();
const results: Results = {};
const failed: string[] = [];
for (const name of wanted) {
  console.log(`\n== ${name}`);
  try {
    const load = benchmarks[name];
    if (load === undefined) continue;
    const result = await (await load()).run({ rows });
    results[name] = result;
    printResult(result);
  } catch (error) {
    // The others can still be measured.
    console.error(error);
    failed.push(name);
  }
}
if (report) {
  const file = report === true ? "figures.md" : report;
  const command = `npm run bench -- ${process.argv.slice(2).join(" ")}`;
  writeFileSync(file, formatPage(results, failed, command, conditions));
  console.log(`\nWritten to ${file}.`);
}
if (failed.length > 0) console.error(`\nNot measured: ${failed.join(", ")}.`);
process.exit(failed.length === 0 ? 0 : 1);
