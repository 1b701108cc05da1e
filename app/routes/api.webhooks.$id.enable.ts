import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { enableWebhook, ownerFor } from "../webhooks/webhook-endpoints.server";

/** `POST /api/webhooks/<id>/enable`: switches a webhook on again. */
export const { loader, action, contract } = apiRoute("api", "/api/webhooks/:id/enable", {
  POST: endpoint({
    operationId: "enableWebhook",
    summary: "Switch a webhook on again, and send what waits",
    auth: apiKey,
    params: z.object({ id: z.string() }),
    responses: { 200: z.object({ id: z.string() }) },
    errors: ["webhook_not_found", "scope_not_allowed", "webhook_disabled"],
    handle: async ({ params: { id }, caller, app: { database, services } }) => {
      await enableWebhook(database, { id, ...ownerFor(caller, services) });
      return { id };
    },
  }),
});
