import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { keyedWebhookSchema, rotateWebhookSecret } from "../webhooks/webhook-endpoints.server";

/** `POST /api/webhooks/<id>/rotate`: a new secret for a webhook. */
export const { loader, action, contract } = apiRoute("api", "/api/webhooks/:id/rotate", {
  POST: endpoint({
    operationId: "rotateWebhookSecret",
    summary: "Replace a webhook's secret; the old one signs, too, for a day",
    auth: apiKey,
    params: z.object({ id: z.string() }),
    responses: { 200: keyedWebhookSchema },
    errors: ["webhook_not_found", "scope_not_allowed"],
    handle: ({ params: { id }, caller: { id: clientId, companyId }, app: { database, env } }) =>
      rotateWebhookSecret(database, { id, companyId, clientId }, env.embedSigningSecrets),
  }),
});
