import { randomUUID } from "node:crypto";
import type { Database } from "../providers/database.server";
import type { JobKey } from "./campaign-job.server";

/** seconds. Far longer than handing over a message can take: see SEND_TIMEOUT_MS of the mail provider. */
export const CLAIM_SECONDS = 60;

export type Claim =
  | { state: "claimed"; claimId: string }
  /** noted as not to be sent */
  | { state: "suppressed" }
  | { state: "sent"; messageId: string | null }
  /** somebody else is sending it; `retryAfterSeconds` says when their claim has lapsed */
  | { state: "taken"; retryAfterSeconds: number };

/**
 * Claims a job for this delivery, or says who was first. One statement decides, by the database's clock, so it holds among
 * any number of replicas. A claim older than a minute was left by a crash, and is taken over; a job that was not sent because its
 * recipient was suppressed is free.
 */
export async function claimDelivery(database: Database, key: JobKey): Promise<Claim> {
  const claimId = randomUUID();
  const won = await begin(database, key, "claimed", claimId);
  return won ? { state: "claimed", claimId } : findClaim(database, key);
}

/** Notes of a job that it is not sent because its recipient is suppressed, or says that it was sent before, or is being sent. */
export async function recordSuppressed(database: Database, key: JobKey): Promise<Claim> {
  const won = await begin(database, key, "suppressed", randomUUID());
  return won ? { state: "suppressed" } : findClaim(database, key);
}

async function begin(
  database: Database,
  { campaignId, recipient }: JobKey,
  status: "claimed" | "suppressed",
  claimId: string,
): Promise<boolean> {
  const changed = await database.$executeRaw`
    INSERT INTO email_deliveries AS delivery (campaign_id, recipient, status, claim_id, claimed_at)
    VALUES (${campaignId}, ${recipient}, ${status}, ${claimId}, now() AT TIME ZONE 'utc')
    ON CONFLICT (campaign_id, recipient) DO UPDATE SET
      status = EXCLUDED.status,
      claim_id = EXCLUDED.claim_id,
      claimed_at = EXCLUDED.claimed_at,
      attempts = delivery.attempts + 1
    WHERE delivery.status = 'suppressed'
       OR (delivery.status = 'claimed'
           AND delivery.claimed_at <= EXCLUDED.claimed_at - ${CLAIM_SECONDS} * interval '1 second')`;
  return changed === 1;
}

/** Whose a job is that could not be claimed. */
async function findClaim(database: Database, { campaignId, recipient }: JobKey): Promise<Claim> {
  const [found] = await database.$queryRaw<
    { status: string; message_id: string | null; seconds_left: number }[]
  >`
    SELECT status, message_id,
           ceil(${CLAIM_SECONDS} - extract(epoch FROM now() AT TIME ZONE 'utc' - claimed_at))::int AS seconds_left
      FROM email_deliveries WHERE campaign_id = ${campaignId} AND recipient = ${recipient}`;
  if (found?.status === "sent") return { state: "sent", messageId: found.message_id };
  // Released between the two statements: free again at once.
  return { state: "taken", retryAfterSeconds: Math.max(1, found?.seconds_left ?? 1) };
}

/** Records that the holder of `claimId` sent the job. */
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

/** Gives the job back, for a delivery that certainly sent nothing. */
export async function releaseClaim(
  database: Database,
  { campaignId, recipient }: JobKey,
  claimId: string,
): Promise<void> {
  await database.emailDelivery.deleteMany({ where: { campaignId, recipient, claimId, status: "claimed" } });
}
