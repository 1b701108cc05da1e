import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { query } from "../../tests/support/databases/postgres";
import { deliverJob } from "../../tests/support/email/queue-delivery";
import { startSes } from "../../tests/support/email/ses";
import type { DeliveriesFound, DeliveryOperation } from "./checkers/deliveries";
import { type DrillOptions, type History, Recorder } from "./drill";
import { killMoments } from "./seed";

const JOBS = 200;
const KILLS = 28;
/** Concurrent deliveries. */
const CONCURRENCY = 8;
const signingKey = (stack: StackInfo) => stack.queue.currentSigningKey;

/**
 * Delivers the jobs of a campaign until each gets a 200, while the app is killed repeatedly in the middle of sending. The kills come when
 * the mail provider has accepted an e-mail and has not yet said so.
 */
export async function* drillDeliveries(
  stack: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<DeliveryOperation, DeliveriesFound>> {
  const ses = await startSes();
  const app = await startBuiltApp(stack, {
    CLOUD_SES_ENDPOINT: ses.endpoint,
    QUEUE_VERIFY: "true",
    QUEUE_CURRENT_SIGNING_KEY: stack.queue.currentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: stack.queue.nextSigningKey,
  });
  const recorder = new Recorder<DeliveryOperation>();
  const campaignId = crypto.randomUUID();
  const moments = killMoments(choose, KILLS, JOBS);
  let kills = 0;
  let restarting: Promise<void> | undefined;
  const restart = async () => {
    await app.signal("SIGKILL");
    recorder.add({ what: "app killed" });
    recorder.add({
      what: "claimed after a kill",
      recipients: await recipientsOf(stack, campaignId, "claimed"),
    });
    await app.start();
  };
  ses.onAccept(async () => {
    const to = ses.accepted.at(-1)?.Destination.ToAddresses[0] ?? "";
    recorder.add({ what: "accepted by the provider", to });
    const moment = moments[kills];
    if (moment !== undefined && ses.accepted.length >= moment && restarting === undefined) {
      kills++;
      restarting = restart().then(() => {
        restarting = undefined;
      });
      // Whoever awaits it later gets the error.
      restarting.catch(() => {});
    }
    // Other deliveries are in progress at the same time.
    await sleep(10);
  });
  const deliver = async (to: string) => {
    const job = {
      recipient: { email: to },
      campaignId,
      site: { subject: "Spring" },
      branding: { siteName: "Northwind" },
    };
    for (;;) {
      await restarting;
      const settings = { apiBaseUrl: app.apiBaseUrl, signingKey: signingKey(stack) };
      const response = await deliverJob(settings, job).then(
        ({ status }) => status,
        () => "connection lost" as const,
      );
      recorder.add({ what: "delivered", to, response });
      if (response === 200) return;
      await letClaimsLapse(stack, campaignId);
    }
  };
  try {
    const recipients = Array.from({ length: JOBS }, (_, number) => `reader-${number}@example.com`);
    const waiting = recipients.values();
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const recipient of waiting) await deliver(recipient);
      }),
    );
    await restarting;
    yield {
      title: `${JOBS} jobs of a campaign, and the app killed ${kills} times while it sent`,
      operations: recorder.operations,
      found: { recipients, wantedKills: KILLS, sent: await recipientsOf(stack, campaignId, "sent") },
    };
  } finally {
    await restarting?.catch(() => {});
    await app.close();
    await ses.close();
  }
}

/** Returns the recipients whose delivery has this status. */
async function recipientsOf(
  stack: StackInfo,
  campaignId: string,
  status: "claimed" | "sent",
): Promise<string[]> {
  const statement = "SELECT recipient FROM email_deliveries WHERE campaign_id = $1 AND status = $2";
  const rows = await query<{ recipient: string }>(stack.postgresUrl, statement, [campaignId, status]);
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
