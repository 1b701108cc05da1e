/** Runs the doctor on a deployment and finds findings in its report. */
import { expect } from "vitest";
import { doctorWithLimit } from "../../../app/commands/doctor";
import type { Finding } from "../../../embed-element/doctor/report";
import type { StackInfo } from "../../../local/stack-info";
import { deploymentEnv } from "./deployment";
import { type Ended, runHere } from "./run-command";

/** Runs `npm run doctor` in this process. `checkMs`: time limit of one check in milliseconds, long enough for a busy machine. */
export const doctorHere = (
  words: string[],
  env: Record<string, string | undefined>,
  checkMs = 20_000,
): Promise<Ended> => runHere("doctor", doctorWithLimit(checkMs), words, env);

export interface Report {
  code: number | null;
  findings: Finding[];
}

/**
 * @param changes overrides in a valid environment; undefined unsets a variable
 * @param words further command line arguments, such as `--only store`
 */
export async function runDoctor(
  stack: StackInfo,
  postgresUrl: string,
  changes: Record<string, string | undefined> = {},
  words: string[] = [],
  checkMs?: number,
): Promise<Report> {
  const env = { ...deploymentEnv(stack, postgresUrl), ...changes };
  const { code, stdout, stderr } = await doctorHere(["--json", ...words], env, checkMs);
  expectNoSecrets(stdout + stderr, env);
  try {
    return { code, findings: JSON.parse(stdout) };
  } catch {
    throw new Error(`The doctor printed no JSON.\n${stdout}\n${stderr}`);
  }
}

/** Expects that the output contains no secret and no person's name from the environment. */
export function expectNoSecrets(output: string, env: Record<string, string | undefined>): void {
  const password = decodeURIComponent(new URL(env.POSTGRES_URL ?? "http://x").password);
  const names = [
    "EMBED_SIGNING_SECRET",
    "API_BEARER_TOKEN",
    "CLOUD_ACCESS_KEY_ID",
    "CLOUD_SECRET_ACCESS_KEY",
    "QUEUE_CURRENT_SIGNING_KEY",
    "QUEUE_NEXT_SIGNING_KEY",
    "QUEUE_TOKEN",
    "EMAIL_FROM",
  ];
  for (const secret of [password, ...names.map((name) => env[name])]) {
    if (secret !== undefined && secret.length > 4) expect(output).not.toContain(secret);
  }
}

/** Expects a finding with this `check` and `status`, and with matching message and remedy. */
export function expectFinding(
  { findings }: Report,
  check: string,
  status: Finding["status"],
  message: RegExp,
  remedy?: RegExp,
): void {
  expect(findings).toContainEqual(
    expect.objectContaining({
      check,
      status,
      message: expect.stringMatching(message),
      ...(remedy === undefined ? {} : { remedy: expect.stringMatching(remedy) }),
    }),
  );
}
