import { z } from "zod";
import { idempotencyKey } from "../email/idempotent-sending.server";
import { sendSimpleEmail, sentEmailSchema, unsentEmailSchema } from "../email/send-simple-email.server";
import { MAX_SIMPLE_EMAIL_BYTES, simpleEmailSchema } from "../email/simple-email.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint, Reply } from "../http/endpoint.server";

/** `POST /api/send-simple-email`: a themed e-mail, one message to each recipient. */
export const { loader, action, contract } = apiRoute("api", "/api/send-simple-email", {
  POST: endpoint({
    operationId: "sendSimpleEmail",
    summary: "Send a themed e-mail, one message to each recipient",
    auth: bearerToken,
    headers: z.object({ "Idempotency-Key": idempotencyKey.optional() }),
    body: simpleEmailSchema,
    maxBodyBytes: MAX_SIMPLE_EMAIL_BYTES,
    responses: {
      200: sentEmailSchema.describe("Every message was sent"),
      207: sentEmailSchema.describe("Some messages were sent, or there was nobody to send to: see results"),
      502: unsentEmailSchema.describe("provider_failed: no message was sent"),
    },
    errors: ["idempotency_mismatch", "idempotency_in_progress"],
    handle: async ({ body, json, headers, caller, app, context }) => {
      const key = headers["Idempotency-Key"];
      const keyed = key === undefined ? undefined : { caller, key, body: json };
      const { sent, results } = await sendSimpleEmail(body, { ...app, context, keyed });
      if (sent === "all") return { success: true, results };
      if (sent === "some") return new Reply(207, { success: false, results });
      const error = "No message was sent. See results.";
      return new Reply(502, { success: false as const, results, error, code: "provider_failed" as const });
    },
  }),
});
