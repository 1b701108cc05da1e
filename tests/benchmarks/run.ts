/**
 * `npm run bench`: measures and asserts nothing. Comparisons are ratios of medians within one run on one machine. The rounds
 * alternate, so that
 * changes in the machine's speed affect all cases. Needs `npm run build`.
 */
import { Command } from "commander";

const benchmarks: Record<string, () => Promise<{ run: () => Promise<void> }>> = {
  http: () => import("./http"),
  databases: () => import("./databases"),
  events: () => import("./events"),
  webhooks: () => import("./webhooks"),
  email: () => import("./email"),
  campaign: () => import("./campaign"),
  "page-size": () => import("./page-size"),
  "first-rows": () => import("./first-rows"),
  "long-folder": () => import("./long-folder"),
  search: () => import("./search"),
  history: () => import("./history"),
  uploads: () => import("./uploads"),
  "zip-download": () => import("./zip-download"),
};

const { only } = new Command("npm run bench --")
  .description("Measures speed and size.")
  .option("--only <names>", `one or several of ${Object.keys(benchmarks).join(", ")}`)
  .parse()
  .opts<{ only?: string }>();
const wanted = only?.split(",") ?? Object.keys(benchmarks);
for (const name of wanted) {
  const load = benchmarks[name];
  if (load === undefined) {
    console.error(`Unknown benchmark: ${name}. The benchmarks are ${Object.keys(benchmarks).join(", ")}.`);
    process.exit(2);
  }
  console.log(`\n== ${name}`);
  await (await load()).run();
}
