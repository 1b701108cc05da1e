import { z } from "zod";
import { eventSchemas } from "../events/stored-event.server";

/** Sent by `npm run webhooks -- test`. */
const testEventSchema = eventSchemas.file
  .pick({ id: true, occurredAt: true })
  .extend({ type: z.enum(["webhook.test"]), companyId: z.string() })
  .meta({ id: "TestEvent" });
export type TestEvent = z.infer<typeof testEventSchema>;

/** The bodies of messages. `type` says which of these it is. docs/contract.md#webhooks */
export const webhookMessageSchemas = [
  eventSchemas.file,
  eventSchemas.email,
  eventSchemas.database,
  testEventSchema,
] as const;

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#webhook-headers-sent-to-consumers */
export const webhookHeadersSchema = z.object({
  "webhook-id": z.string().describe("the event's id, the same in every attempt"),
  "webhook-timestamp": z.string().describe("when this attempt was made, in unix seconds"),
  "webhook-signature": z
    .string()
    .describe(
      "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, for each valid secret; separated by spaces",
    ),
});
export type WebhookHeaders = z.infer<typeof webhookHeadersSchema>;
