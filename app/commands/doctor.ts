/** `npm run doctor`: looks at a real deployment, and says what is right, what is wrong and how to mend it. */
import { styleText } from "node:util";
import { InvalidArgumentError } from "commander";
import { examine, groupNames } from "../doctor/examine";
import type { Finding } from "../doctor/finding";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** seconds that one check may take */
const CHECK_SECONDS = 5;

/** @param checkMs milliseconds that one check may take */
export const doctorWithLimit =
  (checkMs: number): CommandDefinition =>
  (program, session) =>
    program
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
      .action((options: DoctorOptions) => run(session, options, checkMs));

interface DoctorOptions {
  only: string[];
  json?: boolean;
}

async function run(session: Session, { only, json }: DoctorOptions, checkMs: number): Promise<void> {
  const { console, terminal } = session;
  const env = session.environment();
  const stop = terminal.catchSignals();
  // https://no-color.org
  const hasColor = terminal.stdout.isTTY === true && !env.NO_COLOR;
  const all: Finding[] = [];
  for await (const { name, findings } of examine(only, env, { stop, checkMs })) {
    all.push(...findings);
    if (!json) console.log([name, ...findings.map((finding) => formatFinding(finding, hasColor))].join("\n"));
  }
  console.log(json ? JSON.stringify(all, null, 2) : `\n${summarize(all)}`);
  session.exitCode = stop.aborted ? 130 : all.some(({ status }) => status === "error") ? 1 : 0;
}

const marks = { ok: "✓", warning: "!", error: "✗" } as const;
const colors = { ok: "green", warning: "yellow", error: "red" } as const;

function formatFinding({ status, message, remedy }: Finding, hasColor: boolean): string {
  const mark = hasColor ? styleText(colors[status], marks[status]) : marks[status];
  return `  ${mark} ${message}${remedy === undefined ? "" : `\n      → ${remedy}`}`;
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

await runAsProcess(import.meta.url, "doctor", doctorWithLimit(CHECK_SECONDS * 1000));
