import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/built-app";
import { query } from "../support/postgres";
import { deliverJob } from "../support/queue-delivery";
import { startSes } from "../support/ses";
import type { DrillResult } from "./result";

const JOBS = 200;
const KILLS = 28;
/** deliveries at a time */
const AT_ONCE = 8;
/** e-mails that the mail provider has taken between two kills */
const BETWEEN = Math.floor(JOBS / (KILLS + 1));
const signingKey = (stack: StackInfo) => stack.queue.currentSigningKey;

/**
 * Jobs of a campaign are delivered until each is answered with 200, while the app is killed again and again in the middle of sending. None is
 * lost. One arrives twice where a kill fell between the provider's acceptance and our record of it (docs/decisions/0010), which is where these do.
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
    if (kills < KILLS && ses.accepted.length >= (kills + 1) * BETWEEN && restarting === undefined) {
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
    // Others are on their way meanwhile.
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
      Array.from({ length: AT_ONCE }, async () => {
        for (const number of jobs) await deliver(number);
      }),
    );
    const addresses = ses.accepted.map(({ Destination }) => Destination.ToAddresses[0]);
    const arrived = new Set(addresses).size;
    const doubled = addresses.length - arrived;
    yield {
      drill: `${JOBS} jobs of a campaign, and the app killed ${kills} times while it sent`,
      figures: `${arrived} arrived, ${JOBS - arrived} lost, ${doubled} doubled of ${unrecorded} that the provider had taken and a kill kept from being recorded`,
      failures: [
        arrived === JOBS ? "" : `${JOBS - arrived} are lost`,
        doubled <= unrecorded ? "" : `${doubled} arrived twice`,
        kills === KILLS ? "" : `it was killed ${kills} times only`,
      ].filter(Boolean),
    };
  } finally {
    await restarting;
    await app.close();
    await ses.close();
  }
}

/** Who has been begun with, and of whom nobody has written down that it was sent. */
async function claimed(stack: StackInfo, campaignId: string): Promise<string[]> {
  const statement = "SELECT recipient FROM email_deliveries WHERE campaign_id = $1 AND status = 'claimed'";
  const rows = await query<{ recipient: string }>(stack.postgresUrl, statement, [campaignId]);
  return rows.map(({ recipient }) => recipient);
}

/** A minute passes for the claims that kills have left; those of deliveries that are being sent are younger than a second. */
async function letClaimsLapse(stack: StackInfo, campaignId: string): Promise<void> {
  await query(
    stack.postgresUrl,
    `UPDATE email_deliveries SET claimed_at = claimed_at - interval '60 seconds'
      WHERE campaign_id = $1 AND status = 'claimed' AND claimed_at < now() AT TIME ZONE 'utc' - interval '1 second'`,
    [campaignId],
  );
  await sleep(100);
}
