/**
 * `npm run drill`: what happens when a provider refuses, hangs or goes silent, when a process is killed or asked to stop under
 * load, and when replicas come and go. Each drill is done to the built app, and ends in a row of figures. Exit code 1 when
 * one of them is beyond its limit. Needs `npm run build`.
 */
import { Command } from "commander";
import { startTestStack } from "../support/stack";
import { drillCampaign } from "./campaign";
import { drillChanges } from "./changes";
import { drillDeliveries } from "./deliveries";
import { drillProcess } from "./process";
import { drillProviders } from "./providers";
import { drillReplicasIfPossible } from "./replicas";
import type { DrillResult } from "./result";
import { drillSpam } from "./spam";
import { drillTransfers } from "./transfers";

const drills = {
  providers: drillProviders,
  process: drillProcess,
  campaign: drillCampaign,
  deliveries: drillDeliveries,
  changes: drillChanges,
  replicas: drillReplicasIfPossible,
  transfers: drillTransfers,
  spam: drillSpam,
};

const { only, rate } = new Command("npm run drill --")
  .description("Does to the built app what goes wrong at 3 a.m., and prints how it took it.")
  .option("--only <names>", `one or several of ${Object.keys(drills).join(", ")}`)
  // Ten times what Amazon lets a new account send, so that the drill takes minutes rather than a quarter of an hour.
  .option("--rate <number>", "e-mails a second that the campaign's mail provider takes", Number, 140)
  .parse()
  .opts<{ only?: string; rate: number }>();
const wanted = only?.split(",") ?? Object.keys(drills);
const unknown = wanted.filter((name) => !Object.hasOwn(drills, name));
if (unknown.length > 0) {
  console.error(`There is no drill ${unknown.join(", ")}. There are ${Object.keys(drills).join(", ")}.`);
  process.exit(2);
}

const stack = await startTestStack();
const results: DrillResult[] = [];
try {
  for (const [name, drill] of Object.entries(drills)) {
    if (!wanted.includes(name)) continue;
    // What hangs is then known by name.
    console.log(`      ${name}:`);
    for await (const result of drill(stack.info, { rate })) {
      results.push(result);
      console.log(`${result.failures.length === 0 ? "ok  " : "FAIL"}  ${result.drill}`);
      for (const failure of result.failures) console.log(`      ${failure}`);
    }
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
