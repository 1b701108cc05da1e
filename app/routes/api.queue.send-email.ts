import { CAMPAIGN_WEBHOOK_PATH, campaignJobSchema } from "../campaigns/campaign-job.server";
import { deliverCampaignEmail } from "../campaigns/deliver-campaign-email.server";
import { apiRoute } from "../http/api-route.server";
import { queueWebhook } from "../http/queue-webhook.server";

/** `POST /api/queue/send-email`: one campaign e-mail, delivered by the queue. */
export const { loader, action } = apiRoute("api", {
  POST: queueWebhook({
    path: CAMPAIGN_WEBHOOK_PATH,
    job: campaignJobSchema,
    handle: (job, { env, database, mailer }) =>
      deliverCampaignEmail(job, {
        database,
        mailer,
        sender: env.sender,
        unsubscribeUrl: env.unsubscribeUrl,
      }),
  }),
});
