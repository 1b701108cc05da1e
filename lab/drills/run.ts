/**
 * `npm run drill`: tests the built app while providers refuse, hang or go silent, while it is stopped under load, and while replicas come
 * and go. Each drill writes its history as JSON, and a checker judges what is in it: one row of figures. The exit code is 1 if a promise is
 * broken or a limit exceeded. Needs `npm run build`.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import { startTestStack } from "../../tests/support/app/stack";
import { type Conditions, readConditions } from "../../tests/support/machine/conditions";
import { drillCampaign } from "./campaign";
import { drillCatalogue } from "./catalogue";
import { drillChanges } from "./changes";
import { checkCampaign } from "./checkers/campaign";
import { checkCatalogue } from "./checkers/catalogue";
import { checkChanges } from "./checkers/changes";
import { checkCredentials } from "./checkers/credentials";
import { checkDatabases } from "./checkers/databases";
import { checkDeliveries } from "./checkers/deliveries";
import { checkEvents } from "./checkers/events";
import { checkHistory } from "./checkers/history";
import { checkMarkdown } from "./checkers/markdown";
import { checkPairs } from "./checkers/pairs";
import { checkProcess } from "./checkers/process";
import { checkProviders } from "./checkers/providers";
import { checkReplicas } from "./checkers/replicas";
import { checkSpam } from "./checkers/spam";
import { checkTransfers } from "./checkers/transfers";
import { checkWebhooks } from "./checkers/webhooks";
import { drillCredentials } from "./credentials";
import { drillDatabases } from "./databases";
import { drillDeliveries } from "./deliveries";
import type { Drill, History, Verdict } from "./drill";
import { drillEvents } from "./events";
import { drillHistory } from "./history";
import { drillMarkdown } from "./markdown";
import { drillPairs } from "./pairs";
import { drillProcess } from "./process";
import { drillProviders } from "./providers";
import { drillReplicasIfPossible } from "./replicas";
import { type Choose, choicesOf } from "./seed";
import { drillSpam } from "./spam";
import { drillTransfers } from "./transfers";
import { drillWebhooks } from "./webhooks";

// Silences the AWS SDK's announcement of the Node version that it will need in future.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

/** Maximum time of one drill, milliseconds. Each ends earlier by itself, unless something never happens that it waits for. */
const MAX_DRILL_MS = 20 * 60_000;
/** E-mails per second. At a lower rate, the campaign would take longer than a drill may. */
const MIN_RATE = 20;
/** E-mails per second. Ten times Amazon's rate for a new account, so that the drill takes only a few minutes. */
const DEFAULT_RATE = 250;
/** Changes of the bucket that has a catalogue. 20,000 take twenty times as long, and may. */
const DEFAULT_CHANGES = 1_000;
const MIN_CHANGES = 500;

/** In the order in which they begin. Of those that run at the same time, the longest are first. */
const drills: Record<string, Drill> = {
  providers: { run: drillProviders, check: checkProviders },
  process: { run: drillProcess, check: checkProcess },
  replicas: { run: drillReplicasIfPossible, check: checkReplicas },
  markdown: { run: drillMarkdown, check: checkMarkdown },
  credentials: { run: drillCredentials, check: checkCredentials },
  deliveries: { run: drillDeliveries, check: checkDeliveries },
  transfers: { run: drillTransfers, check: checkTransfers },
  webhooks: { run: drillWebhooks, check: checkWebhooks },
  catalogue: { run: drillCatalogue, check: checkCatalogue },
  campaign: { run: drillCampaign, check: checkCampaign },
  changes: { run: drillChanges, check: checkChanges },
  history: { run: drillHistory, check: checkHistory },
  pairs: { run: drillPairs, check: checkPairs },
  events: { run: drillEvents, check: checkEvents },
  databases: { run: drillDatabases, check: checkDatabases },
  spam: { run: drillSpam, check: checkSpam },
};

/**
 * Each of these runs by itself. They measure how soon the app responds, allow no refusal, or, like the deliveries, take what has lasted for a second as
 * interrupted by a kill.
 */
const alone = ["providers", "process", "replicas", "markdown", "credentials", "deliveries"];
/**
 * How many of the others run at the same time. They wait for networks, pauses and outages most of the time, and their kills come after a
 * number of requests or bytes. More would compete for two cores.
 */
const CONCURRENT_DRILLS = 2;

/** What a drill writes to a file. */
interface HistoryFile {
  drill: string;
  seed: number;
  rate: number;
  conditions: Conditions;
  histories: (History & { verdict: Verdict })[];
  /** why the drill ended before it had recorded everything */
  error?: string;
}

interface Row extends Verdict {
  title: string;
}

const options = new Command("npm run drill --")
  .description("Injects production faults into the built app and prints how it copes.")
  .option("--only <names>", `one or several of ${Object.keys(drills).join(", ")}`)
  .option(
    "--seed <number>",
    "makes the choices of an earlier run again: faults, files and moments of kills",
    Number,
  )
  .option(
    "--history <folder>",
    "where the histories are written",
    fileURLToPath(new URL("../../.cache/drills", import.meta.url)),
  )
  .option("--check <files...>", "judges written histories again, and runs nothing")
  .option(
    "--rate <number>",
    "e-mails per second that the campaign's mail provider accepts",
    Number,
    DEFAULT_RATE,
  )
  .option("--changes <number>", "changes of the bucket that has a catalogue", Number, DEFAULT_CHANGES)
  .parse()
  .opts<{
    only?: string;
    seed?: number;
    history: string;
    check?: string[];
    rate: number;
    changes: number;
  }>();

process.exit(options.check ? checkFiles(options.check) : await runDrills());

async function runDrills(): Promise<number> {
  const wanted = options.only?.split(",") ?? Object.keys(drills);
  const unknown = wanted.filter((name) => !Object.hasOwn(drills, name));
  if (unknown.length > 0) {
    console.error(`Unknown drill: ${unknown.join(", ")}. The drills are ${Object.keys(drills).join(", ")}.`);
    return 2;
  }
  const { seed = randomInt(1, 1_000_000), rate, changes } = options;
  if (!Number.isSafeInteger(seed)) {
    console.error("The seed must be a whole number.");
    return 2;
  }
  if (!Number.isSafeInteger(rate) || rate < MIN_RATE) {
    console.error(`The rate must be a whole number, at least ${MIN_RATE}.`);
    return 2;
  }
  if (!Number.isSafeInteger(changes) || changes < MIN_CHANGES) {
    console.error(`The number of changes must be a whole number, at least ${MIN_CHANGES}.`);
    return 2;
  }
  const repeat = [
    `--seed ${seed}`,
    ...(rate === DEFAULT_RATE ? [] : [`--rate ${rate}`]),
    ...(changes === DEFAULT_CHANGES ? [] : [`--changes ${changes}`]),
  ].join(" ");
  console.log(`Seed ${seed}. To make the same choices again: npm run drill -- ${repeat}`);
  const conditions = readConditions();
  const choose = choicesOf(seed);
  const stack = await startTestStack();
  const rows: Row[] = [];

  const run = async (name: string) => {
    // Printing the name first shows which drill hangs.
    console.log(`      ${name}:`);
    const startedAt = performance.now();
    const file: HistoryFile = { drill: name, seed, rate, conditions, histories: [] };
    const own: Choose = (...words) => choose(name, ...words);
    const record = async () => {
      for await (const live of drills[name]?.run(stack.info, { seed, choose: own, rate, changes }) ?? []) {
        // As it will be read from the file, so that the verdict can be repeated.
        const history: History = JSON.parse(JSON.stringify(live));
        file.histories.push({ ...history, verdict: judge(name, history) });
      }
    };
    try {
      await withinTime(record(), MAX_DRILL_MS * Math.max(1, changes / DEFAULT_CHANGES));
    } catch (error) {
      file.error = error instanceof Error ? error.stack : String(error);
    }
    mkdirSync(options.history, { recursive: true });
    writeFileSync(join(options.history, `${name}.json`), JSON.stringify(file));
    for (const row of judgeFile(file)) {
      rows.push(row);
      console.log(`${wordFor(row)}  ${row.title}`);
      for (const failure of row.failures) console.log(`      ${failure}`);
      if (row.failures.length > 0)
        console.log(`      To repeat it: npm run drill -- --only ${name} ${repeat}`);
    }
    console.log(`      ${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  };

  try {
    const chosen = Object.keys(drills).filter((name) => wanted.includes(name));
    for (const name of chosen) if (alone.includes(name)) await run(name);
    const together = chosen.filter((name) => !alone.includes(name));
    await mapConcurrently(together, CONCURRENT_DRILLS, run);
    console.log(`\nHistories: ${options.history}`);
    return printTable(rows);
  } finally {
    await stack.close();
  }
}

/** Rejects if the work takes too long. The work itself goes on, because a drill cannot be interrupted. */
async function withinTime(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`The drill was not over after ${limitMs / 60_000} minutes.`);
    timer = setTimeout(() => reject(error), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Judges histories by their content alone. Returns the exit code. */
function checkFiles(paths: string[]): number {
  return printTable(paths.flatMap((path) => judgeFile(JSON.parse(readFileSync(path, "utf8")))));
}

/** Returns a row for each history, and a failed one if the drill ended too early. */
function judgeFile({ drill, histories, error }: HistoryFile): Row[] {
  const rows: Row[] = histories.map((history) => ({ title: history.title, ...judge(drill, history) }));
  if (error !== undefined)
    rows.push({ title: drill, figures: "", failures: [`It ended with an error: ${error}`] });
  if (rows.length === 0) rows.push({ title: drill, figures: "", failures: ["It recorded nothing."] });
  return rows;
}

function judge(name: string, history: History): Verdict {
  const drill = drills[name];
  if (drill === undefined) throw new Error(`There is no drill "${name}".`);
  return drill.check(history);
}

/** Returns the exit code. */
function printTable(rows: readonly Row[]): number {
  const width = Math.max(...rows.map(({ title }) => title.length));
  console.log();
  for (const { title, figures, failures } of rows) {
    console.log(`${title.padEnd(width)}  ${figures}`);
    for (const failure of failures) console.log(`${"".padEnd(width)}  FAILED: ${failure}`);
  }
  const [passed, failed, skipped] = ["ok  ", "FAIL", "skip"].map(
    (word) => rows.filter((row) => wordFor(row) === word).length,
  );
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
}

function wordFor({ failures, isSkipped }: Verdict): "ok  " | "FAIL" | "skip" {
  if (failures.length > 0) return "FAIL";
  return isSkipped ? "skip" : "ok  ";
}
