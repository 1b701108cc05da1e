/**
 * The record of a campaign e-mail in `email_deliveries`. The queue may deliver a job more than once, also concurrently and to different
 * replicas. An attempt therefore claims the job before it sends the e-mail. docs/decisions/0010
 */
import { randomUUID } from "node:crypto";
import type { Database } from "../providers/database.server";
import type { JobKey } from "./campaign-job.server";

/** Far longer than an attempt can take: all its calls of providers together have REQUEST_BUDGET_MS, 12 seconds. */
export const JOB_CLAIM_SECONDS = 60;

export type JobClaim =
  | { state: "claimed"; claimId: string }
  /** recorded as suppressed */
  | { state: "suppressed" }
  | { state: "sent"; messageId: string | null }
  /** another attempt has the claim, which ends after `retryAfterSeconds` */
  | { state: "claimedByAnother"; retryAfterSeconds: number };

/**
 * Claims a job for this attempt, or returns the state of the job if it is claimed or sent already. One statement decides, by the
 * database's clock. After the end of a claim, the job can be claimed again: the attempt has crashed, or never learned its outcome. So can
 * a job that was suppressed.
 */
export async function claimJob(database: Database, key: JobKey): Promise<JobClaim> {
  const claimId = randomUUID();
  const isOurs = await writeRow(database, key, "claimed", claimId);
  return isOurs ? { state: "claimed", claimId } : readState(database, key);
}

/** Records that a job is not sent because its recipient is suppressed, unless it is claimed or sent already. */
export async function recordSuppressed(database: Database, key: JobKey): Promise<JobClaim> {
  const isOurs = await writeRow(database, key, "suppressed", randomUUID());
  return isOurs ? { state: "suppressed" } : readState(database, key);
}

/** Writes the job's row. @returns false, with nothing written, if another attempt has claimed the job or sent the e-mail */
async function writeRow(
  database: Database,
  { campaignId, recipient }: JobKey,
  status: "claimed" | "suppressed",
  claimId: string,
): Promise<boolean> {
  const changed = await database.$executeRaw`
    INSERT INTO email_deliveries AS delivery (campaign_id, recipient, status, claim_id, claimed_at)
    VALUES (${campaignId}, ${recipient}, ${status}, ${claimId}, now() AT TIME ZONE 'UTC')
    ON CONFLICT (campaign_id, recipient) DO UPDATE SET
      status = EXCLUDED.status,
      claim_id = EXCLUDED.claim_id,
      claimed_at = EXCLUDED.claimed_at,
      attempts = delivery.attempts + 1
    WHERE delivery.status = 'suppressed'
       OR (delivery.status = 'claimed'
           AND delivery.claimed_at <= EXCLUDED.claimed_at - ${JOB_CLAIM_SECONDS} * interval '1 second')`;
  return changed === 1;
}

async function readState(database: Database, { campaignId, recipient }: JobKey): Promise<JobClaim> {
  const [found] = await database.$queryRaw<
    { status: string; message_id: string | null; seconds_left: number }[]
  >`
    SELECT status, message_id,
           ceil(${JOB_CLAIM_SECONDS} - extract(epoch FROM now() AT TIME ZONE 'UTC' - claimed_at))::int AS seconds_left
      FROM email_deliveries WHERE campaign_id = ${campaignId} AND recipient = ${recipient}`;
  if (found?.status === "sent") return { state: "sent", messageId: found.message_id };
  // If the claim was released between the two statements, the job can be claimed at once.
  return { state: "claimedByAnother", retryAfterSeconds: Math.max(1, found?.seconds_left ?? 1) };
}

/** Records that the e-mail was sent; does nothing if another attempt has claimed the job since. */
export async function recordSent(
  database: Database,
  { campaignId, recipient }: JobKey,
  claimId: string,
  messageId: string,
): Promise<void> {
  await database.emailDelivery.updateMany({
    where: { campaignId, recipient, claimId },
    data: { status: "sent", messageId, sentAt: new Date() },
  });
}

/** Deletes the claim of an attempt that is known to have sent nothing. */
export async function releaseClaim(
  database: Database,
  { campaignId, recipient }: JobKey,
  claimId: string,
): Promise<void> {
  await database.emailDelivery.deleteMany({ where: { campaignId, recipient, claimId, status: "claimed" } });
}
