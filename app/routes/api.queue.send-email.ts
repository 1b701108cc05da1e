import { CAMPAIGN_JOB_PATH, campaignJobSchema, MAX_JOB_BYTES } from "../campaigns/campaign-job.server";
import {
  asNonRetryable,
  campaignEmailResultSchema,
  sendCampaignEmail,
} from "../campaigns/send-campaign-email.server";
import { apiRoute } from "../http/api-route.server";
import { queueSignature } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/queue/send-email`: one campaign e-mail, delivered by the queue. */
export const { loader, action, contract } = apiRoute("api", CAMPAIGN_JOB_PATH, {
  POST: endpoint({
    operationId: "deliverCampaignEmail",
    summary: "Receive a queued e-mail job; the queue signs it",
    auth: queueSignature(CAMPAIGN_JOB_PATH),
    body: campaignJobSchema,
    maxBodyBytes: MAX_JOB_BYTES,
    responses: { 200: campaignEmailResultSchema },
    errors: ["job_refused", "provider_failed"],
    mapError: asNonRetryable,
    handle: ({ body, app, context }) => sendCampaignEmail(body, { ...app, context }),
  }),
});
