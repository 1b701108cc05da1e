/** `npm run doctor`: looks at a real deployment, and says what is right, what is wrong and how to mend it. */
import { styleText } from "node:util";
import { Command, InvalidArgumentError } from "commander";
import { examine, groupNames } from "../doctor/examine";
import type { Finding } from "../doctor/finding";
import { loadEnvironment, runCommand } from "./run-command";

/** seconds that one check may take */
const CHECK_SECONDS = 5;

const program = new Command("npm run doctor --")
  .description(
    "Looks at a deployment with the server's own environment (or at a running local stack), and says line by line what is right (✓), " +
      "what is wrong (✗) and what should be looked at (!), with how to mend it.",
  )
  .option(
    "--only <groups>",
    `only these, separated by commas: ${groupNames.join(", ")}`,
    readGroups,
    groupNames,
  )
  .option("--json", "print a JSON array of { check, status: ok, warning or error, message, remedy? }")
  .addHelpText(
    "after",
    `
Exit code 1 when anything is wrong; what should be looked at does not count. Nothing is changed: an object under
.platform-embed-doctor/ is written to each bucket and removed again. Each check takes ${CHECK_SECONDS} seconds at most.`,
  )
  .showHelpAfterError("Run with --help for usage.")
  .action(run);

async function run({ only, json }: { only: string[]; json?: boolean }): Promise<void> {
  loadEnvironment();
  // Which Node the AWS SDK will want some day is not what was asked.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());

  const all: Finding[] = [];
  const limits = { stop: stop.signal, checkMs: CHECK_SECONDS * 1000 };
  for await (const { name, findings } of examine(only, process.env, limits)) {
    all.push(...findings);
    if (!json) process.stdout.write(`${[name, ...findings.map(formatFinding)].join("\n")}\n`);
  }
  const text = json ? JSON.stringify(all, null, 2) : `\n${summarize(all)}`;
  // A connection that hangs must not keep the process alive, and a pipe has to have taken the text before it ends.
  const code = stop.signal.aborted ? 130 : all.some(({ status }) => status === "error") ? 1 : 0;
  process.stdout.write(`${text}\n`, () => process.exit(code));
}

const marks = { ok: "✓", warning: "!", error: "✗" } as const;
const colors = { ok: "green", warning: "yellow", error: "red" } as const;

function formatFinding({ status, message, remedy }: Finding): string {
  const mark = hasColor() ? styleText(colors[status], marks[status]) : marks[status];
  return `  ${mark} ${message}${remedy === undefined ? "" : `\n      → ${remedy}`}`;
}

/** https://no-color.org */
function hasColor(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}

function summarize(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  return `${count("ok")} right, ${count("error")} wrong, ${count("warning")} to be looked at.`;
}

function readGroups(value: string): string[] {
  const names = value.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !groupNames.includes(name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`Unknown: ${unknown.join(", ")}. Known are ${groupNames.join(", ")}.`);
}

await runCommand(() => program.parseAsync());
