/**
 * `npm run drill`: tests the built app while providers refuse, hang or go silent, while it is stopped under load, and while replicas come
 * and go. Each drill prints a row of figures. The exit code is 1 if a figure exceeds its limit. Needs `npm run build`.
 */
import { Command } from "commander";
import { startTestStack } from "../support/app/stack";
import { drillCampaign } from "./campaign";
import { drillChanges } from "./changes";
import { drillDatabases } from "./databases";
import { drillDeliveries } from "./deliveries";
import { drillEvents } from "./events";
import { drillHistory } from "./history";
import { drillMarkdown } from "./markdown";
import { drillProcess } from "./process";
import { drillProviders } from "./providers";
import { drillReplicasIfPossible } from "./replicas";
import type { DrillResult } from "./result";
import { drillSpam } from "./spam";
import { drillTransfers } from "./transfers";
import { drillWebhooks } from "./webhooks";

const drills = {
  providers: drillProviders,
  process: drillProcess,
  campaign: drillCampaign,
  deliveries: drillDeliveries,
  changes: drillChanges,
  history: drillHistory,
  databases: drillDatabases,
  events: drillEvents,
  webhooks: drillWebhooks,
  replicas: drillReplicasIfPossible,
  transfers: drillTransfers,
  markdown: drillMarkdown,
  spam: drillSpam,
};

const { only, rate } = new Command("npm run drill --")
  .description("Injects production faults into the built app and prints how it copes.")
  .option("--only <names>", `one or several of ${Object.keys(drills).join(", ")}`)
  // Ten times Amazon's rate for a new account, so that the drill takes only a few minutes.
  .option("--rate <number>", "e-mails per second that the campaign's mail provider accepts", Number, 250)
  .parse()
  .opts<{ only?: string; rate: number }>();
const wanted = only?.split(",") ?? Object.keys(drills);
const unknown = wanted.filter((name) => !Object.hasOwn(drills, name));
if (unknown.length > 0) {
  console.error(`Unknown drill: ${unknown.join(", ")}. The drills are ${Object.keys(drills).join(", ")}.`);
  process.exit(2);
}

const stack = await startTestStack();
const results: DrillResult[] = [];
try {
  for (const [name, drill] of Object.entries(drills)) {
    if (!wanted.includes(name)) continue;
    // Printing the name first shows which drill hangs.
    console.log(`      ${name}:`);
    const startedAt = performance.now();
    for await (const result of drill(stack.info, { rate })) {
      results.push(result);
      console.log(`${result.failures.length === 0 ? "ok  " : "FAIL"}  ${result.drill}`);
      for (const failure of result.failures) console.log(`      ${failure}`);
    }
    console.log(`      ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
} finally {
  await stack.close();
}

const width = Math.max(...results.map(({ drill }) => drill.length));
console.log();
for (const { drill, figures, failures } of results) {
  console.log(`${drill.padEnd(width)}  ${figures}`);
  for (const failure of failures) console.log(`${"".padEnd(width)}  FAILED: ${failure}`);
}
const failed = results.filter(({ failures }) => failures.length > 0).length;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
