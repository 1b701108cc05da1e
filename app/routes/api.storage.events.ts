import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { snsSignature } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { handleSubscription, MAX_SNS_BYTES, snsMessageSchema } from "../providers/verify-sns-message.server";
import { recordNotification } from "../services/files/record-notification.server";

const handledNotificationSchema = z.object({
  success: z.literal(true),
  changes: z.int().describe("number of changes that the message names"),
});

/** `POST /api/storage/events`: what happens in a bucket, published by Amazon S3 to a topic of Amazon SNS. */
export const { loader, action, contract } = apiRoute("api", "/api/storage/events", {
  POST: endpoint({
    operationId: "receiveStorageEvents",
    summary: "Receive a bucket's notifications from Amazon SNS, which signs them",
    auth: snsSignature((env) => env.storageEventsTopics, "STORAGE_EVENTS_TOPICS"),
    body: snsMessageSchema,
    maxBodyBytes: MAX_SNS_BYTES,
    responses: { 200: handledNotificationSchema },
    errors: ["bucket_not_found", "provider_failed"],
    handle: async ({
      body,
      app: { database, sns, changedObjects },
      tools: { events, objectStore },
      context,
    }) => {
      if (body.Type !== "Notification") {
        await handleSubscription(body, "notifications of buckets", { sns, context });
        return { success: true as const, changes: 0 };
      }
      const settings = { database, events, changedObjects, objectStore, context };
      const changes = await recordNotification(body.Message, settings);
      return { success: true as const, changes };
    },
  }),
});
