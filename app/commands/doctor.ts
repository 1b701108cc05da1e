/** `npm run doctor`: looks at a real deployment, and says what is right, what is wrong and how to fix it. */
import { setMaxListeners } from "node:events";
import { InvalidArgumentError } from "commander";
import { startReport } from "../../embed-element/doctor/report";
import { examine, groupSummaries } from "../doctor/checks";
import { findLiveClients } from "../doctor/context";
import { readEnvironment } from "../doctor/environment";
import { policyOf } from "../doctor/policy";
import { parseEnv, parseOnly } from "../env/env.server";
import { redact } from "../shared/log.server";
import { type CommandDefinition, runAsProcess, type Session, withDatabaseOf } from "./run-command";

const CHECK_TIMEOUT_SECONDS = 5;

const groupNames = Object.keys(groupSummaries);

/** @param checkMs milliseconds that one check may take */
export const doctorWithLimit =
  (checkMs: number): CommandDefinition =>
  (program, session) =>
    program
      .description(
        "Looks at a deployment with the server's own environment (or at a running local stack), and says line " +
          "by line what is right (✓), what is wrong (✗) and what should be looked at (!), with how to fix it.",
      )
      .option("--only <groups>", "only these groups of checks, separated by commas", readGroups, groupNames)
      .option(
        "--policy",
        "check nothing, and print the IAM policy with the least rights that this deployment needs",
      )
      .option("--json", "print a JSON array of { check, status: ok, warning or error, message, remedy? }")
      .addHelpText(
        "after",
        `
Groups:
${Object.entries(groupSummaries)
  .map(([name, summary]) => `  ${name.padEnd(12)} ${summary}`)
  .join("\n")}

Exit code 1 when anything is wrong; what should be looked at does not count. Nothing is changed: an object under
.platform-embed-doctor/ is written to each bucket and removed again. Each check takes at most ${CHECK_TIMEOUT_SECONDS} seconds.`,
      )
      .action((options: DoctorOptions) =>
        options.policy ? printPolicy(session) : run(session, options, checkMs),
      );

interface DoctorOptions {
  only: string[];
  policy?: boolean;
  json?: boolean;
}

async function run(session: Session, { only, json = false }: DoctorOptions, checkMs: number): Promise<void> {
  const { terminal } = session;
  const variables = session.environment();
  const stop = terminal.catchSignals();
  // Each check that is running listens to it, and Node takes more than ten for a leak.
  setMaxListeners(0, stop);
  const report = startReport({
    json,
    stdout: terminal.stdout,
    env: variables,
    print: session.printStyled,
  });
  for await (const { name, findings } of examine(only, variables, { stop, checkMs, redact }))
    report.add(findings, name);
  const exitCode = report.end();
  session.exitCode = stop.aborted ? 130 : exitCode;
}

/** Asks PostgreSQL for the buckets, and nothing else. */
async function printPolicy(session: Session): Promise<void> {
  const variables = session.environment();
  parseOnly(variables, "POSTGRES_URL", "CLOUD_REGION");
  // Whoever needs the policy may have no credentials yet.
  const env = readEnvironment(variables).env ?? parseEnv(variables);
  const clients = await withDatabaseOf(variables, findLiveClients);
  session.console.log(JSON.stringify(policyOf(env, clients), null, 2));
}

function readGroups(value: string): string[] {
  const names = value.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !groupNames.includes(name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`Unknown: ${unknown.join(", ")}. Known are ${groupNames.join(", ")}.`);
}

await runAsProcess(import.meta.url, "doctor", doctorWithLimit(CHECK_TIMEOUT_SECONDS * 1000));
