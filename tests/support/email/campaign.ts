/** Makes campaign jobs and files, and runs `npm run campaign` for tests. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { campaign } from "../../../app/commands/campaign";
import { runHere } from "../app/run-command";
import { makeTestFolder } from "../databases/postgres";
import { QUEUE_TOKEN } from "./test-queue";

export const campaignEnv = (env: Record<string, string>) => ({
  API_BASE_URL: inject("stack").apiBaseUrl,
  QUEUE_TOKEN,
  // Nothing listens there. Unset, it would be QStash.
  QUEUE_URL: "http://127.0.0.1:9",
  ...env,
});

/** Runs `npm run campaign -- …words` in this process. */
export async function runCampaign(words: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await runHere("campaign", campaign, words, campaignEnv(env));
  return { code, output: stdout + stderr };
}

export const jobFor = (email: string) => ({
  recipient: { email, name: "Ada", unsubscribeToken: "t" },
  campaignId: crypto.randomUUID() as string,
  site: { subject: "Spring" },
  branding: { siteName: "Northwind", siteUrl: "https://northwind.example" },
});

export const ndjson = (...lines: (object | string)[]) =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");

/** @returns the file's path */
export async function campaignFile(...lines: (object | string)[]): Promise<string> {
  const file = join(await makeTestFolder(), "campaign.ndjson");
  await writeFile(file, ndjson(...lines));
  return file;
}
