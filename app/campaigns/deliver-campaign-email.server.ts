import { z } from "zod";
import { AppError } from "../app-error";
import { formatMailbox } from "../email/email-address.server";
import { requireSender } from "../email/sender.server";
import type { Env } from "../env.server";
import { logError } from "../log.server";
import type { Database } from "../providers/database.server";
import { MailError, type Mailer } from "../providers/mail.server";
import type { RequestContext } from "../request-context.server";
import { retry } from "../retry";
import { countEmail } from "../telemetry/metrics.server";
import { renderCampaignEmail } from "./campaign-email.server";
import { type CampaignJob, type JobKey, keyOf } from "./campaign-job.server";
import { CLAIM_SECONDS, claimDelivery, recordSent, releaseClaim } from "./claim-delivery.server";

/**
 * A provider that is busy for a moment is asked again within the delivery: of a large campaign some deliveries fail at any rate, and the
 * queue has few attempts to give. Milliseconds.
 */
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 1_500;
const SEND_RETRIES = 2;
/** What an attempt is given at least, milliseconds: one that is cut off leaves a message of which nobody knows. */
const LEAST_TIME_MS = 5_000;

export const deliveredCampaignEmailSchema = z.object({
  success: z.literal(true),
  messageId: z
    .string()
    .nullable()
    .describe("the mail provider's; null when the e-mail was sent but its id is not known any more"),
  duplicate: z.boolean().describe("an earlier delivery of the same job had sent it"),
});
export type DeliveredCampaignEmail = z.infer<typeof deliveredCampaignEmailSchema>;

/**
 * Sends a campaign e-mail once, however often its job is delivered.
 *
 * The job is claimed, sent, recorded. Whatever certainly sent nothing gives the claim back at once. Where that is not certain (a
 * broken connection to the mail provider, a process that died) the claim stays, and after a minute a later delivery takes it
 * over and sends: a job is never lost, and is sent twice only if the process or the connection died in the moment between the
 * provider's acceptance and our record of it. SES has no idempotency key that would close that gap.
 * @throws AppError `unavailable` (deliver it again later), `provider_failed`, `email_refused`, `invalid_request`
 */
export async function deliverCampaignEmail(
  job: CampaignJob,
  settings: {
    database: Database;
    mailer: Mailer;
    sender: Env["sender"];
    unsubscribeUrl: string;
    request: RequestContext;
  },
): Promise<DeliveredCampaignEmail> {
  const { database, mailer, unsubscribeUrl, request } = settings;
  const sender = requireSender(settings.sender);
  const { recipient, branding } = job;
  const content = renderCampaignEmail(job, unsubscribeUrl);
  const key = keyOf(job);

  const claim = await claimDelivery(database, key);
  if (claim.state === "sent") return { success: true, messageId: claim.messageId, duplicate: true };
  if (claim.state === "taken") {
    throw new AppError("unavailable", "Another delivery of this job is being sent. Try again later.", {
      retryAfterSeconds: claim.retryAfterSeconds,
    });
  }

  const message = {
    ...content,
    from: formatMailbox(branding.siteName, sender.address),
    to: formatMailbox(recipient.name, recipient.email),
  };
  const { messageId } = await retry(() => mailer.send(message, request), {
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    retries: SEND_RETRIES,
    deadline: request.deadline - LEAST_TIME_MS,
    mayPass: (error) => error instanceof MailError && error.mayPass,
  }).catch((error: unknown) => afterFailure(error, database, key, claim.claimId));
  countEmail("campaign", "sent");
  // It is sent: a record that cannot be written changes nothing about that, and asking for another delivery would repeat it.
  await recordSent(database, key, claim.claimId, messageId).catch((thrown: unknown) => {
    const { requestId } = request;
    logError(`A sent campaign e-mail could not be recorded (message ${messageId}).`, { thrown, requestId });
  });
  return { success: true, messageId, duplicate: false };
}

async function afterFailure(
  error: unknown,
  database: Database,
  key: JobKey,
  claimId: string,
): Promise<never> {
  countEmail("campaign", error instanceof MailError ? error.kind : "error");
  if (error instanceof MailError && error.kind === "unknown") {
    throw new AppError("unavailable", error.message, {
      cause: error,
      retryAfterSeconds: CLAIM_SECONDS,
      logDetail: error.logDetail,
    });
  }
  await releaseClaim(database, key, claimId);
  throw error;
}
