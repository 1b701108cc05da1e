/**
 * The record of a campaign e-mail in `email_deliveries`. The queue may deliver a job more than once, also concurrently and to different
 * replicas. An attempt therefore claims the job before it sends the e-mail. docs/decisions/0010
 */
import { randomUUID } from "node:crypto";
import type { Database } from "../providers/database.server";
import type { JobKey } from "./campaign-job.server";
import { findClaim, insertClaim } from "./campaigns.sql.server";

export type ClaimResult =
  | { state: "claimed"; claimId: string }
  /** recorded as suppressed */
  | { state: "suppressed" }
  | { state: "sent"; messageId: string | null }
  /** another attempt has the claim, which ends after `retryAfterSeconds` */
  | { state: "claimedByAnother"; retryAfterSeconds: number };

/**
 * Claims a job for this attempt, or returns its state if it is claimed or sent already. One statement decides, by the database's clock.
 * After the end of a claim, the job can be claimed again: the attempt has crashed, or never learned its outcome. So can a job that was
 * suppressed.
 * @param isSuppressed records instead that the job is not sent, because its recipient is suppressed
 */
export async function claimJob(
  database: Pick<Database, "$driverQuery">,
  key: JobKey,
  isSuppressed = false,
): Promise<ClaimResult> {
  const claimId = randomUUID();
  const status = isSuppressed ? "suppressed" : "claimed";
  if (await insertClaim(database, key, { status, claimId }))
    return isSuppressed ? { state: "suppressed" } : { state: "claimed", claimId };
  const found = await findClaim(database, key);
  if (found?.status === "sent") return { state: "sent", messageId: found.messageId };
  // If the claim was released between the two statements, the job can be claimed at once.
  return { state: "claimedByAnother", retryAfterSeconds: Math.max(1, found?.secondsLeft ?? 1) };
}

/** Deletes the claim of an attempt that is known to have sent nothing. */
export async function releaseClaim(
  database: Pick<Database, "emailDelivery">,
  { campaignId, recipient }: JobKey,
  claimId: string,
): Promise<void> {
  await database.emailDelivery.deleteMany({ where: { campaignId, recipient, claimId, status: "claimed" } });
}
