import { CAMPAIGN_JOB_PATH, campaignJobSchema, MAX_JOB_BYTES } from "../campaigns/campaign-job.server";
import { deliveredJobSchema } from "../campaigns/leave-out-faulty-parts.server";
import {
  campaignEmailResultSchema,
  errorForQueue,
  sendCampaignEmail,
} from "../campaigns/send-campaign-email.server";
import type { Env } from "../env/env.server";
import { apiRoute } from "../http/api-route.server";
import { queueSignature } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { logWarning } from "../shared/log.server";

/** What a campaign's e-mail is from if its job does not say. */
const senderNameOf = ({ sender }: Pick<Env, "sender">): string =>
  sender?.name ?? sender?.address.split("@")[1] ?? "";

/** `POST /api/queue/send-email`: one campaign e-mail, delivered by the queue. */
export const { loader, action, contract } = apiRoute("api", CAMPAIGN_JOB_PATH, {
  POST: endpoint({
    operationId: "deliverCampaignEmail",
    summary: "Receive a queued e-mail job; the queue signs it",
    auth: queueSignature(CAMPAIGN_JOB_PATH),
    body: {
      options: () => [campaignJobSchema],
      choose: (_, { env }) => deliveredJobSchema(senderNameOf(env)),
    },
    maxBodyBytes: MAX_JOB_BYTES,
    responses: { 200: campaignEmailResultSchema },
    errors: ["job_refused", "provider_failed"],
    mapError: errorForQueue,
    handle: ({ body: { leftOut, ...job }, app, context }) => {
      if (leftOut.length > 0)
        logWarning(
          `A job of a campaign is faulty. Its e-mail is sent without: ${leftOut.join(", ")}`,
          context,
        );
      return sendCampaignEmail(job, { ...app, context });
    },
  }),
});
