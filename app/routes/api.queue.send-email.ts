import { CAMPAIGN_WEBHOOK_PATH, campaignJobSchema, MAX_JOB_BYTES } from "../campaigns/campaign-job.server";
import {
  deliverCampaignEmail,
  deliveredCampaignEmailSchema,
} from "../campaigns/deliver-campaign-email.server";
import { refuseForGood } from "../campaigns/permanent-errors.server";
import { apiRoute } from "../http/api-route.server";
import { queueSignature } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/queue/send-email`: one campaign e-mail, delivered by the queue. */
export const { loader, action, contract } = apiRoute("api", CAMPAIGN_WEBHOOK_PATH, {
  POST: endpoint({
    summary: "Receive a queued e-mail job; the queue signs it",
    auth: queueSignature(CAMPAIGN_WEBHOOK_PATH),
    body: campaignJobSchema,
    maxBodyBytes: MAX_JOB_BYTES,
    // What counts is who signed: the queue delivers as fast as it was told to.
    isLimited: false,
    responses: { 200: deliveredCampaignEmailSchema },
    errors: ["job_refused", "provider_failed", "unavailable"],
    mapError: refuseForGood,
    handle: ({ body, app: { env, database, mailer }, context: request }) =>
      deliverCampaignEmail(body, {
        database,
        mailer,
        sender: env.sender,
        unsubscribeUrl: env.unsubscribeUrl,
        hostedUnsubscribe: env.hostedUnsubscribe,
        request,
      }),
  }),
});
