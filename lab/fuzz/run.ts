/**
 * `npm run fuzz`: changes files by chance and reads them, as previews do. Each is shown, or refused with a sentence: never does a reader hang,
 * fill the memory, fail in a way that nobody has thought of, or show a number that is none. What failed is written to `.cache/fuzz`, and the
 * exit code is 1.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { formats } from "./formats";
import { fuzz, Reader } from "./fuzz";

const options = new Command()
  .option("--seed <number>", "of the changes; the first line names it", Number, randomInt(2 ** 31))
  .option("--rounds <number>", "files of each format", Number, 2_000)
  .option(
    "--only <formats>",
    `some of ${Object.keys(formats)}`,
    (list) => list.split(","),
    Object.keys(formats),
  )
  .parse()
  .opts<{ seed: number; rounds: number; only: string[] }>();

console.log(`seed ${options.seed}, ${options.rounds} files of each format`);
let failed = false;
const reader = new Reader();
for (const format of options.only) {
  if (!Object.hasOwn(formats, format)) throw new Error(`There is no format ${format}.`);
  const { shown, refused, slowestMs, failures } = await fuzz(format, options.rounds, options.seed, reader);
  console.log(
    `${format}: ${shown} shown, ${refused} refused, ${failures.length} failed, ${Math.round(slowestMs)} ms at most`,
  );
  for (const { round, failure, bytes } of failures) {
    const path = `.cache/fuzz/${options.seed}-${round}.${format}`;
    mkdirSync(".cache/fuzz", { recursive: true });
    writeFileSync(path, bytes);
    console.log(`${path}: ${failure}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
