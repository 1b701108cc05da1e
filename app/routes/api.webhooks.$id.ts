import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { deleteWebhook, ownerFor } from "../webhooks/webhook-endpoints.server";

/** `DELETE /api/webhooks/<id>`: events are not sent there any more. */
export const { loader, action, contract } = apiRoute("api", "/api/webhooks/:id", {
  DELETE: endpoint({
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    auth: apiKey,
    params: z.object({ id: z.string() }),
    responses: { 200: z.object({ id: z.string() }) },
    errors: ["webhook_not_found", "scope_not_allowed"],
    handle: async ({ params: { id }, caller, app: { database, services } }) => {
      await deleteWebhook(database, { id, ...ownerFor(caller, services) });
      return { id };
    },
  }),
});
