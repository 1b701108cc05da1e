import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { campaign } from "../../app/commands/campaign";
import { startLocalQueue } from "../../local/queue";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/app/built-app";
import { runHere } from "../support/app/run-command";
import { startSes } from "../support/email/ses";
import { findFreePort } from "../support/machine/free-port";
import type { DrillResult } from "./result";

const JOBS = 10_000;
/** One in this many requests fails. */
const FAILURE_INTERVAL = 10;
/** Seconds before each further attempt. QStash makes as many attempts, with longer pauses. */
const RETRY_DELAYS_SECONDS = [3, 10, 30];
const TOKEN = "publish-token";
/** Time allowed beyond the number of jobs divided by the rate, seconds. */
const EXTRA_SECONDS = 600;

/**
 * Sends a large campaign through a mail provider that throttles and fails one request in ten. Every e-mail must arrive exactly once.
 * @param options.rate e-mails per second that the provider accepts
 */
export async function* drillCampaign(
  stack: StackInfo,
  { rate }: { rate: number },
): AsyncGenerator<DrillResult> {
  const ses = await startSes();
  const taken: number[] = [];
  let throttled = 0;
  let failed = 0;
  ses.setFault(() => {
    const now = performance.now();
    while (taken[0] !== undefined && taken[0] <= now - 1_000) taken.shift();
    if (taken.length >= rate) {
      throttled++;
      return { error: { status: 429, type: "TooManyRequestsException" } };
    }
    taken.push(now);
    if (Math.random() >= 1 / FAILURE_INTERVAL) return undefined;
    failed++;
    return { error: { status: 500, type: "InternalServiceErrorException" } };
  });
  const app = await startBuiltApp(stack, {
    CLOUD_SES_ENDPOINT: ses.endpoint,
    QUEUE_VERIFY: "true",
    QUEUE_CURRENT_SIGNING_KEY: stack.queue.currentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: stack.queue.nextSigningKey,
  });
  const deadLetters: string[] = [];
  let again = 0;
  const queue = await startLocalQueue({
    port: await findFreePort(),
    token: TOKEN,
    signingKey: stack.queue.currentSigningKey,
    retrySeconds: RETRY_DELAYS_SECONDS,
    log: (line) => (line.includes("given up") ? deadLetters.push(line) : again++),
  });
  const folder = await mkdtemp(join(tmpdir(), "campaign-drill-"));
  try {
    const campaignId = crypto.randomUUID();
    const job = (number: number) => ({
      recipient: { email: `reader-${number}@example.com`, name: "Ada" },
      campaignId,
      site: { subject: "Spring" },
      branding: { siteName: "Northwind", siteUrl: "https://northwind.example" },
    });
    const file = join(folder, "campaign.ndjson");
    await writeFile(
      file,
      Array.from({ length: JOBS }, (_, number) => JSON.stringify(job(number))).join("\n"),
    );

    const started = performance.now();
    const env = { API_BASE_URL: app.apiBaseUrl, QUEUE_URL: queue.endpoint, QUEUE_TOKEN: TOKEN };
    const published = await runHere("campaign", campaign, ["publish", file, "--rate", String(rate)], env);
    const publishing = (performance.now() - started) / 1_000;
    const status = async () =>
      JSON.parse(
        (
          await runHere("campaign", campaign, ["status", campaignId, "--json"], {
            POSTGRES_URL: stack.postgresUrl,
          })
        ).stdout || "{}",
      ).sent as number | undefined;
    const seconds = () => (performance.now() - started) / 1_000;
    while ((await status()) !== JOBS && deadLetters.length === 0 && seconds() < JOBS / rate + EXTRA_SECONDS)
      await sleep(1_000);

    const addresses = ses.accepted.map(({ Destination }) => Destination.ToAddresses[0]);
    const arrived = new Set(addresses).size;
    const doubled = addresses.length - arrived;
    const sent = await status();
    yield {
      drill: `${JOBS} e-mails through a provider that accepts ${rate} a second and fails 1 in ${FAILURE_INTERVAL}`,
      figures: `published in ${publishing.toFixed(1)} s, all in ${seconds().toFixed(0)} s; ${arrived} arrived, ${doubled} twice, ${deadLetters.length} given up; ${failed} failures, ${throttled} refused for the rate, ${again} delivered again`,
      failures: [
        published.code === 0 ? "" : `publishing ended with ${published.code}: ${published.stderr}`,
        arrived === JOBS ? "" : `${JOBS - arrived} did not arrive`,
        doubled === 0 ? "" : `${doubled} arrived twice`,
        deadLetters.length === 0 ? "" : `the queue gave up: ${deadLetters[0]}`,
        sent === JOBS ? "" : `status says that ${sent} were sent`,
      ].filter(Boolean),
    };
  } finally {
    await Promise.all([queue.close(), app.close(), rm(folder, { recursive: true, force: true })]);
    await ses.close();
  }
}
