/**
 * The record of a campaign e-mail in `email_deliveries`. The queue may deliver a job more than once, also concurrently and to different
 * replicas. An attempt therefore claims the job before it sends the e-mail. docs/decisions/0010
 */
import { randomUUID } from "node:crypto";
import { type Database, NOW } from "../providers/database.server";
import type { JobKey } from "./campaign-job.server";

/** Far longer than an attempt can take: all its calls of providers together have REQUEST_BUDGET_MS, 12 seconds. */
export const JOB_CLAIM_SECONDS = 60;

export type ClaimResult =
  | { state: "claimed"; claimId: string }
  /** recorded as suppressed */
  | { state: "suppressed" }
  | { state: "sent"; messageId: string | null }
  /** another attempt has the claim, which ends after `retryAfterSeconds` */
  | { state: "claimedByAnother"; retryAfterSeconds: number };

/** Returns a row if it was written: not if another attempt has claimed the job or sent the e-mail. */
const CLAIM = `
  INSERT INTO email_deliveries AS delivery (campaign_id, recipient, status, claim_id, claimed_at)
  VALUES ($1, $2, $3, $4, ${NOW})
  ON CONFLICT (campaign_id, recipient) DO UPDATE SET
    status = EXCLUDED.status,
    claim_id = EXCLUDED.claim_id,
    claimed_at = EXCLUDED.claimed_at,
    attempts = delivery.attempts + 1
  WHERE delivery.status = 'suppressed'
     OR (delivery.status = 'claimed' AND delivery.claimed_at <= EXCLUDED.claimed_at - interval '${JOB_CLAIM_SECONDS} seconds')
  RETURNING 1`;

const FIND = `
  SELECT status, message_id AS "messageId",
    ceil(${JOB_CLAIM_SECONDS} - extract(epoch FROM ${NOW} - claimed_at))::int AS "secondsLeft"
  FROM email_deliveries WHERE campaign_id = $1 AND recipient = $2`;

/**
 * Claims a job for this attempt, or returns its state if it is claimed or sent already. One statement decides, by the database's clock.
 * After the end of a claim, the job can be claimed again: the attempt has crashed, or never learned its outcome. So can a job that was
 * suppressed.
 * @param isSuppressed records instead that the job is not sent, because its recipient is suppressed
 */
export async function claimJob(
  database: Pick<Database, "$driverQuery">,
  { campaignId, recipient }: JobKey,
  isSuppressed = false,
): Promise<ClaimResult> {
  const claimId = randomUUID();
  const status = isSuppressed ? "suppressed" : "claimed";
  const written = await database.$driverQuery(CLAIM, [campaignId, recipient, status, claimId]);
  if (written.length > 0) return isSuppressed ? { state: "suppressed" } : { state: "claimed", claimId };
  const [found] = await database.$driverQuery<{
    status: string;
    messageId: string | null;
    secondsLeft: number;
  }>(FIND, [campaignId, recipient]);
  if (found?.status === "sent") return { state: "sent", messageId: found.messageId };
  // If the claim was released between the two statements, the job can be claimed at once.
  return { state: "claimedByAnother", retryAfterSeconds: Math.max(1, found?.secondsLeft ?? 1) };
}

/** Marks the job as sent; does nothing if another attempt has claimed it since. */
export async function markSent(
  database: Pick<Database, "$driverQuery">,
  { campaignId, recipient }: JobKey,
  claimId: string,
  messageId: string,
): Promise<void> {
  await database.$driverQuery(
    `UPDATE email_deliveries SET status = 'sent', message_id = $4, sent_at = ${NOW}
     WHERE campaign_id = $1 AND recipient = $2 AND claim_id = $3`,
    [campaignId, recipient, claimId, messageId],
  );
}

/** Deletes the claim of an attempt that is known to have sent nothing. */
export async function releaseClaim(
  database: Pick<Database, "emailDelivery">,
  { campaignId, recipient }: JobKey,
  claimId: string,
): Promise<void> {
  await database.emailDelivery.deleteMany({ where: { campaignId, recipient, claimId, status: "claimed" } });
}
