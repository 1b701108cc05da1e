import { randomUUID } from "node:crypto";
import { z } from "zod";
import { formatMailbox } from "../email/email-address.server";
import type { MarkdownPool } from "../email/markdown-pool.server";
import { requireSender, type SendingTools, sendMessage } from "../email/send-message.server";
import { findSuppressed } from "../email/suppressions.server";
import { siteOf } from "../email/unsubscribing/subscription.server";
import type { Env } from "../env/env.server";
import { newEventId } from "../events/events.server";
import type { Database } from "../providers/database.server";
import { MailError } from "../providers/mail.server";
import { AppError, type AppErrorCode } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { countEmail } from "../telemetry/metrics.server";
import { type CampaignRendering, renderCampaignEmail } from "./campaign-email.server";
import { type CampaignJob, type JobKey, jobKeyOf, tagOf } from "./campaign-job.server";
import { findClaim, insertClaim, JOB_CLAIM_SECONDS, markSent } from "./campaigns.sql.server";
import { jobRefused, refuseIfStopped } from "./stopped-campaigns.server";

export const campaignEmailResultSchema = z.object({
  success: z.literal(true),
  messageId: z
    .string()
    .nullable()
    .describe("the mail provider's id; null if nothing was sent, or the id is no longer known"),
  duplicate: z.boolean().describe("an earlier attempt of the same job has sent the e-mail"),
  suppressed: z.literal(true).optional().describe("nothing was sent: the recipient is suppressed"),
});
type CampaignEmailResult = z.infer<typeof campaignEmailResultSchema>;

/**
 * Makes one attempt at a job: claims the job, sends the e-mail, marks the job as sent. Nothing is sent to a suppressed recipient, or
 * while the campaign is stopped. However many attempts the queue makes, the e-mail is sent once. There is one exception: if the provider
 * took it and its response was lost, a later attempt sends it again, because SES has no idempotency key.
 *
 * - If it is known that nothing was sent, the claim is released at once, and the next attempt can send the e-mail.
 * - If the outcome is unknown (the connection to the mail provider broke, or this process died), the claim stays. When it ends, a later
 *   attempt claims the job again and sends the e-mail. So no job is lost.
 * @throws AppError `unavailable` (the queue tries again later), `provider_failed`, `email_refused`, `invalid_request`, `job_refused`
 */
export async function sendCampaignEmail(
  job: CampaignJob,
  settings: SendingTools & {
    env: Pick<Env, "sender" | "unsubscribing">;
    database: Database;
    markdown: MarkdownPool;
  },
): Promise<CampaignEmailResult> {
  const { env, database, markdown, context } = settings;
  const sender = requireSender(env.sender);
  const { recipient, branding } = job;
  const key = jobKeyOf(job);
  const event = { ...key, id: newEventId(), companyId: job.companyId ?? null };
  const rendering: CampaignRendering = {
    unsubscribing: env.unsubscribing,
    renderMarkdown: (task) => markdown.render(task, context),
  };
  // First, so that an invalid job is refused in any case.
  const content = await renderCampaignEmail(job, rendering, event.id);

  // Checked before the claim: if one of them cannot be read, no claim is left behind.
  const [suppressed] = await Promise.all([
    findSuppressed(database, [key.recipient], siteOf(branding)),
    refuseIfStopped(database, key.campaignId),
  ]);
  const claim = await claimJob(database, key, suppressed.size > 0);
  if (claim.state === "suppressed") {
    countEmail("campaign", "suppressed");
    return { success: true, messageId: null, duplicate: false, suppressed: true };
  }
  if (claim.state === "sent") return { success: true, messageId: claim.messageId, duplicate: true };
  if (claim.state === "claimedByAnother") {
    throw new AppError("unavailable", "Another attempt of this job is under way. Try again later.", {
      retryAfterSeconds: claim.retryAfterSeconds,
    });
  }

  const message = {
    ...content,
    from: formatMailbox(branding.siteName, sender.address),
    to: formatMailbox(recipient.name, recipient.email),
    tags: { campaign: tagOf(job.campaignId) },
  };
  const { messageId, eventWritten } = await sendMessage(message, event, "campaign", settings).catch(
    async (error: unknown) => {
      if (error instanceof MailError && error.kind === "unknown") throw claimStays(error);
      await releaseClaim(database, key, claim.claimId).catch((thrown: unknown) => {
        // Then the claim ends by itself. The first error says more.
        logError("The claim of a campaign's e-mail could not be released.", { thrown });
      });
      throw error;
    },
  );
  // The e-mail is sent, whether or not that can be recorded. An error here would make the queue deliver the job again.
  await markSent(database, key, claim.claimId, messageId).catch((thrown: unknown) => {
    const { requestId } = context;
    logError(`A sent campaign e-mail could not be recorded (message ${messageId}).`, { thrown, requestId });
  });
  await eventWritten;
  return { success: true, messageId, duplicate: false };
}

type ClaimResult =
  | { state: "claimed"; claimId: string }
  /** recorded as suppressed */
  | { state: "suppressed" }
  | { state: "sent"; messageId: string | null }
  /** another attempt has the claim, which ends after `retryAfterSeconds` */
  | { state: "claimedByAnother"; retryAfterSeconds: number };

/**
 * Claims a job for this attempt, or returns its state if it is claimed or sent already: the queue may deliver a job more than once, also
 * concurrently and to different replicas. One statement decides, by the database's clock. After the end of a claim, the job can be claimed
 * again: the attempt has crashed, or never learned its outcome. So can a job that was suppressed. docs/decisions/0010
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

/** The error for the queue if nobody knows whether the e-mail was sent: the claim must end first. */
function claimStays(error: MailError): AppError {
  return new AppError("unavailable", error.message, {
    cause: error,
    retryAfterSeconds: JOB_CLAIM_SECONDS,
    logDetail: error.logDetail,
  });
}

/** Errors that would occur again in every later attempt of the job. */
const permanentErrors: readonly AppErrorCode[] = ["invalid_request", "body_too_large", "email_refused"];

/** What the queue is told: `job_refused` for an error that would occur in every attempt. Returns any other error as it is. */
export function errorForQueue(error: AppError): AppError {
  if (!permanentErrors.includes(error.code)) return error;
  const { message, issues, logDetail } = error;
  return jobRefused(message, { cause: error, issues, logDetail });
}
