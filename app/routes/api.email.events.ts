import { handledMessageSchema, handleSnsMessage } from "../email/events/handle-sns-message.server";
import { MAX_SNS_BYTES, snsMessageSchema } from "../email/events/sns-message.server";
import { apiRoute } from "../http/api-route.server";
import { snsSignature } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/email/events`: bounces and complaints, as Amazon SES tells them through a topic of Amazon SNS. */
export const { loader, action, contract } = apiRoute("api", "/api/email/events", {
  POST: endpoint({
    operationId: "receiveEmailEvents",
    summary: "Receive bounces and complaints from Amazon SNS, which signs them",
    auth: snsSignature,
    body: snsMessageSchema,
    maxBodyBytes: MAX_SNS_BYTES,
    // Signed messages are not rate-limited by address; unsigned ones count against the caller's IP address.
    isLimited: false,
    responses: { 200: handledMessageSchema },
    errors: ["provider_failed", "unavailable"],
    handle: async ({ body, app: { database, sns }, context: request }) => ({
      success: true as const,
      suppressed: await handleSnsMessage(body, { database, sns, request }),
    }),
  }),
});
