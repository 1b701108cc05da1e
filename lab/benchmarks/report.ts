/** Prints the results of benchmarks on the terminal, and as a page in Markdown. */
import { execFileSync } from "node:child_process";
import type { Conditions } from "../../tests/support/machine/conditions";
import { findChromium } from "../../tests/support/machine/find-chromium";
import type { BenchmarkResult, Row } from "./result";

/** The results by the benchmarks' names. */
export type Results = Record<string, BenchmarkResult>;

export function printResult({ title, rows, notes = [] }: BenchmarkResult): void {
  console.log(title);
  const width = (column: (row: Row) => string) => Math.max(...rows.map((row) => column(row).length));
  const [names, values] = [width(({ name }) => name), width(({ value }) => value)];
  for (const { name, value, spread, compared } of rows) {
    const parts = [name.padEnd(names), value.padStart(values), spread && `(${spread})`, compared];
    console.log(parts.filter(Boolean).join("   "));
  }
  for (const note of notes) console.log(note);
}

/**
 * @param failed names of benchmarks that ended with an error
 * @param command the command that made the results
 * @param conditions those at its beginning
 */
export function formatPage(
  results: Results,
  failed: readonly string[],
  command: string,
  conditions: Conditions,
): string {
  const { processor, cores, memory, load, system, node, commit, date } = conditions;
  const lines: [string, string | number | null][] = [
    ["Date", date],
    ["Commit", commit],
    ["Processor", `${processor}, ${cores} cores`],
    ["Memory", `${memory} GB`],
    ["Load before", `${load}: a figure above 1 means that the machine was doing something else`],
    ["System", system],
    ["Node", node],
    ["Chromium", chromiumVersion()],
  ];
  return `# Figures

Written by \`${command}\`. The same command measures again, on your machine. Only compare figures of one page: each machine has its own.
Ratios are of medians within one run, whose rounds alternate.

## Conditions

${table(["", ""], lines)}

${[
  ...(failed.length > 0 ? [`**Not measured, because of an error: ${failed.join(", ")}.**`] : []),
  ...Object.entries(results).map(([name, result]) => formatResult(name, result)),
].join("\n\n")}
`;
}

export function formatResult(
  name: string,
  { title, rows, raw, peers = {}, notes = [] }: BenchmarkResult,
): string {
  const versions = Object.entries(peers).map(([peer, version]) => `\`${peer}\` ${version}`);
  const cells = rows.map(({ name, value, spread = "", compared = "" }) => [name, value, spread, compared]);
  return [
    `## ${name}`,
    title,
    table(["", "Figure", "Least to greatest", "Compared"], cells),
    ...notes,
    ...(versions.length > 0 ? [`Compared with ${versions.join(", ")}.`] : []),
    `Only this: \`npm run bench -- --only ${name}\``,
    `<details><summary>Raw numbers</summary>\n\n\`\`\`json\n${formatRaw(raw)}\n\`\`\`\n\n</details>`,
  ].join("\n\n");
}

/** JSON with one line for each list. */
function formatRaw(raw: BenchmarkResult["raw"]): string {
  const lines = Object.entries(raw).map(
    ([name, values]) => `  ${JSON.stringify(name)}: [${values.map(shorten).join(", ")}]`,
  );
  return `{\n${lines.join(",\n")}\n}`;
}

/** Six digits are more than any of the measurements is good for. */
const shorten = (value: number) => String(Number(value.toPrecision(6)));

function table(head: string[], rows: (string | number | null)[][]): string {
  const line = (cells: (string | number | null)[]) =>
    `| ${cells.map((cell) => String(cell ?? "unknown").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function chromiumVersion(): string {
  try {
    return execFileSync(
      findChromium(() => {}),
      ["--version"],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    ).trim();
  } catch {
    return "not found";
  }
}
