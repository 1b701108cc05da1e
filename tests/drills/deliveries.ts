import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/app/built-app";
import { query } from "../support/databases/postgres";
import { deliverJob } from "../support/email/queue-delivery";
import { startSes } from "../support/email/ses";
import type { DrillResult } from "./result";

const JOBS = 200;
const KILLS = 28;
/** Concurrent deliveries. */
const CONCURRENCY = 8;
/** E-mails that the mail provider accepts between two kills. */
const EMAILS_BETWEEN_KILLS = Math.floor(JOBS / (KILLS + 1));
const signingKey = (stack: StackInfo) => stack.queue.currentSigningKey;

/**
 * Delivers the jobs of a campaign until each gets a 200, while the app is killed repeatedly in the middle of sending. No job may
 * be lost. An
 * e-mail may arrive twice only if a kill falls between the provider's acceptance and our record of it (docs/decisions/0010). The kills of
 * this drill are timed to fall there.
 */
export async function* drillDeliveries(stack: StackInfo): AsyncGenerator<DrillResult> {
  const ses = await startSes();
  const app = await startBuiltApp(stack, {
    CLOUD_SES_ENDPOINT: ses.endpoint,
    QUEUE_VERIFY: "true",
    QUEUE_CURRENT_SIGNING_KEY: stack.queue.currentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: stack.queue.nextSigningKey,
  });
  const campaignId = crypto.randomUUID();
  let [kills, unrecorded] = [0, 0];
  let restarting: Promise<void> | undefined;
  ses.onAccept(async () => {
    if (
      kills < KILLS &&
      ses.accepted.length >= (kills + 1) * EMAILS_BETWEEN_KILLS &&
      restarting === undefined
    ) {
      kills++;
      restarting = app
        .signal("SIGKILL")
        .then(async () => {
          const taken = new Set(ses.accepted.map(({ Destination }) => Destination.ToAddresses[0]));
          unrecorded += (await claimed(stack, campaignId)).filter((address) => taken.has(address)).length;
          await app.start();
        })
        .finally(() => {
          restarting = undefined;
        });
    }
    // Other deliveries are in progress at the same time.
    await sleep(10);
  });
  const deliver = async (number: number) => {
    const job = {
      recipient: { email: `reader-${number}@example.com` },
      campaignId,
      site: { subject: "Spring" },
      branding: { siteName: "Northwind" },
    };
    for (;;) {
      await restarting;
      const settings = { apiBaseUrl: app.apiBaseUrl, signingKey: signingKey(stack) };
      const status = await deliverJob(settings, job).then(
        (response) => response.status,
        () => "connection lost",
      );
      if (status === 200) return;
      await letClaimsLapse(stack, campaignId);
    }
  };
  try {
    const jobs = Array.from({ length: JOBS }, (_, number) => number).values();
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const number of jobs) await deliver(number);
      }),
    );
    const addresses = ses.accepted.map(({ Destination }) => Destination.ToAddresses[0]);
    const arrived = new Set(addresses).size;
    const doubled = addresses.length - arrived;
    yield {
      drill: `${JOBS} jobs of a campaign, and the app killed ${kills} times while it sent`,
      figures: `${arrived} arrived, ${JOBS - arrived} lost, ${doubled} doubled of ${unrecorded} that the provider had accepted but a kill kept from being recorded`,
      failures: [
        arrived === JOBS ? "" : `${JOBS - arrived} are lost`,
        doubled <= unrecorded ? "" : `${doubled} arrived twice`,
        kills === KILLS ? "" : `it was killed only ${kills} times`,
      ].filter(Boolean),
    };
  } finally {
    await restarting;
    await app.close();
    await ses.close();
  }
}

/** Returns the recipients whose delivery is claimed but not recorded as sent. */
async function claimed(stack: StackInfo, campaignId: string): Promise<string[]> {
  const statement = "SELECT recipient FROM email_deliveries WHERE campaign_id = $1 AND status = 'claimed'";
  const rows = await query<{ recipient: string }>(stack.postgresUrl, statement, [campaignId]);
  return rows.map(({ recipient }) => recipient);
}

/** Ages the claims that kills have left behind by a minute. Claims of deliveries in progress are younger than a second and stay. */
async function letClaimsLapse(stack: StackInfo, campaignId: string): Promise<void> {
  await query(
    stack.postgresUrl,
    `UPDATE email_deliveries SET claimed_at = claimed_at - interval '60 seconds'
      WHERE campaign_id = $1 AND status = 'claimed' AND claimed_at < now() AT TIME ZONE 'utc' - interval '1 second'`,
    [campaignId],
  );
  await sleep(100);
}
