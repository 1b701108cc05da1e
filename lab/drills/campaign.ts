import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { campaign } from "../../app/commands/campaign";
import { startLocalQueue } from "../../local/queue";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { runHere } from "../../tests/support/app/run-command";
import { startSes } from "../../tests/support/email/ses";
import { findFreePort } from "../../tests/support/machine/free-port";
import type { CampaignFound, CampaignOperation } from "./checkers/campaign";
import { type DrillOptions, type History, Recorder } from "./drill";

const JOBS = 10_000;
/** One in this many requests fails. */
const FAILURE_INTERVAL = 10;
/** One in this many requests is refused for the rate, also if the machine is too slow to exceed it. */
const REFUSAL_INTERVAL = 50;
/** Seconds before each further attempt. QStash makes as many attempts, with longer pauses. */
const RETRY_DELAYS_SECONDS = [3, 10, 30];
const TOKEN = "publish-token";
/** Time allowed beyond the number of jobs divided by the rate, seconds. */
const EXTRA_SECONDS = 600;

/** Sends a large campaign through a mail provider that throttles and fails one request in ten. */
export async function* drillCampaign(
  stack: StackInfo,
  { rate, choose }: DrillOptions,
): AsyncGenerator<History<CampaignOperation, CampaignFound>> {
  const ses = await startSes();
  const recorder = new Recorder<CampaignOperation>();
  const taken: number[] = [];
  const attempts = new Map<string, number>();
  ses.setFault(({ Destination }) => {
    const [address] = Destination.ToAddresses;
    const to = /<(.+)>$/.exec(address)?.[1] ?? address;
    const now = performance.now();
    while (taken[0] !== undefined && taken[0] <= now - 1_000) taken.shift();
    const attempt = (attempts.get(to) ?? 0) + 1;
    attempts.set(to, attempt);
    if (taken.length >= rate || choose("refused", to, attempt) < 1 / REFUSAL_INTERVAL) {
      recorder.add({ what: "refused for the rate", to });
      return { error: { status: 429, type: "TooManyRequestsException" } };
    }
    taken.push(now);
    const fails = choose("fails", to, attempt) < 1 / FAILURE_INTERVAL;
    recorder.add({ what: fails ? "failed" : "accepted", to });
    return fails ? { error: { status: 500, type: "InternalServiceErrorException" } } : undefined;
  });
  const app = await startBuiltApp(stack, {
    CLOUD_SES_ENDPOINT: ses.endpoint,
    QUEUE_VERIFY: "true",
    QUEUE_CURRENT_SIGNING_KEY: stack.queue.currentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: stack.queue.nextSigningKey,
  });
  let deadLetters = 0;
  const queue = await startLocalQueue({
    port: await findFreePort(),
    token: TOKEN,
    signingKey: stack.queue.currentSigningKey,
    retrySeconds: RETRY_DELAYS_SECONDS,
    log(line) {
      const isGivenUp = line.includes("given up");
      if (isGivenUp) deadLetters += 1;
      recorder.add({ what: isGivenUp ? "given up" : "delivered again", line });
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "campaign-drill-"));
  try {
    const campaignId = crypto.randomUUID();
    const recipients = Array.from({ length: JOBS }, (_, number) => `reader-${number}@example.com`);
    const job = (email: string) => ({
      recipient: { email, name: "Ada" },
      campaignId,
      site: { subject: "Spring" },
      branding: { siteName: "Northwind", siteUrl: "https://northwind.example" },
    });
    const file = join(folder, "campaign.ndjson");
    await writeFile(file, recipients.map((email) => JSON.stringify(job(email))).join("\n"));

    const started = performance.now();
    const env = { API_BASE_URL: app.apiBaseUrl, QUEUE_URL: queue.endpoint, QUEUE_TOKEN: TOKEN };
    const { code, stderr } = await runHere(
      "campaign",
      campaign,
      ["publish", file, "--rate", String(rate)],
      env,
    );
    const published = { code, stderr, seconds: (performance.now() - started) / 1_000 };
    const status = async () =>
      JSON.parse(
        (
          await runHere("campaign", campaign, ["status", campaignId, "--json"], {
            POSTGRES_URL: stack.postgresUrl,
          })
        ).stdout || "{}",
      ).sent as number | undefined;
    const seconds = () => (performance.now() - started) / 1_000;
    while ((await status()) !== JOBS && deadLetters === 0 && seconds() < JOBS / rate + EXTRA_SECONDS)
      await sleep(1_000);

    yield {
      title: `${JOBS} e-mails through a provider that accepts ${rate} a second and fails 1 in ${FAILURE_INTERVAL}`,
      operations: recorder.operations,
      found: { recipients, published, sent: await status(), seconds: seconds() },
    };
  } finally {
    await Promise.all([queue.close(), app.close(), rm(folder, { recursive: true, force: true })]);
    await ses.close();
  }
}
