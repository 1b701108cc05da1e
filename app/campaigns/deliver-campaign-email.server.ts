import { hash } from "node:crypto";
import { z } from "zod";
import { AppError } from "../app-error";
import { formatMailbox } from "../email/email-address.server";
import { handOver } from "../email/hand-over.server";
import { requireSender } from "../email/sender.server";
import { findSuppressed } from "../email/suppressions/suppressions.server";
import type { Env } from "../env.server";
import { logError } from "../log.server";
import type { Database } from "../providers/database.server";
import { MailError, type Mailer } from "../providers/mail.server";
import type { RequestContext } from "../request-context.server";
import { countEmail } from "../telemetry/metrics.server";
import { renderCampaignEmail } from "./campaign-email.server";
import { type CampaignJob, type JobKey, keyOf } from "./campaign-job.server";
import { siteOf } from "./campaign-site.server";
import {
  CLAIM_SECONDS,
  claimDelivery,
  recordSent,
  recordSuppressed,
  releaseClaim,
} from "./claim-delivery.server";
import type { HostedUnsubscribe } from "./unsubscribe-link.server";

export const deliveredCampaignEmailSchema = z.object({
  success: z.literal(true),
  messageId: z
    .string()
    .nullable()
    .describe("the mail provider's; null when none was sent, or its id is not known any more"),
  duplicate: z.boolean().describe("an earlier delivery of the same job had sent it"),
  suppressed: z.literal(true).optional().describe("nothing was sent: its recipient gets no such e-mail"),
});
export type DeliveredCampaignEmail = z.infer<typeof deliveredCampaignEmailSchema>;

/**
 * Sends a campaign e-mail once, however often its job is delivered; to a recipient who is suppressed, never.
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
    hostedUnsubscribe?: HostedUnsubscribe | undefined;
    request: RequestContext;
  },
): Promise<DeliveredCampaignEmail> {
  const { database, mailer, unsubscribeUrl, request } = settings;
  const sender = requireSender(settings.sender);
  const { recipient, branding } = job;
  const content = renderCampaignEmail(job, unsubscribeUrl, settings.hostedUnsubscribe);
  const key = keyOf(job);

  // Before the claim: where it cannot be read, nothing is left behind.
  const suppressed = await findSuppressed(database, [key.recipient], siteOf(branding));
  const claim = await (suppressed.size > 0 ? recordSuppressed(database, key) : claimDelivery(database, key));
  if (claim.state === "suppressed") {
    countEmail("campaign", "suppressed");
    return { success: true, messageId: null, duplicate: false, suppressed: true };
  }
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
    tags: { campaign: tagOf(job.campaignId) },
  };
  const { messageId } = await handOver(message, { mailer, kind: "campaign", request }).catch(
    (error: unknown) => afterFailure(error, database, key, claim.claimId),
  );
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

/** characters of a SHA-256 in base64url: enough to tell the campaigns of one account apart */
const DIGEST_LENGTH = 8;

/** A campaign's id as a message tag: as it is, or with `-` for what a tag cannot hold and the id's digest, so that no two are one. */
function tagOf(campaignId: string): string {
  const plain = campaignId.replace(/[^A-Za-z0-9_-]+/g, "-");
  return plain === campaignId
    ? campaignId
    : `${plain}-${hash("sha256", campaignId, "base64url").slice(0, DIGEST_LENGTH)}`;
}
