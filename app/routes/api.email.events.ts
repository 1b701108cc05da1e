import { handledMessageSchema, handleSnsMessage } from "../email/ses-notifications.server";
import { apiRoute } from "../http/api-route.server";
import { snsSignature } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { MAX_SNS_BYTES, snsMessageSchema } from "../providers/verify-sns-message.server";

/** `POST /api/email/events`: deliveries, bounces and complaints that Amazon SES publishes to a topic of Amazon SNS. */
export const { loader, action, contract } = apiRoute("api", "/api/email/events", {
  POST: endpoint({
    operationId: "receiveEmailEvents",
    summary: "Receive deliveries, bounces and complaints from Amazon SNS, which signs them",
    auth: snsSignature((env) => env.emailEventsTopics, "EMAIL_EVENTS_TOPICS"),
    body: snsMessageSchema,
    maxBodyBytes: MAX_SNS_BYTES,
    responses: { 200: handledMessageSchema },
    errors: ["provider_failed"],
    handle: async ({ body, app: { database, events, sns }, context }) => ({
      success: true as const,
      suppressed: await handleSnsMessage(body, { database, events, sns, context }),
    }),
  }),
});
