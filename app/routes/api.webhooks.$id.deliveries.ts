import { z } from "zod";
import { reachOfKey } from "../embed/reach-of-key.server";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { deliveriesQuerySchema, deliverySchema, listDeliveries } from "../webhooks/webhook-deliveries.server";
import { ownerFor } from "../webhooks/webhook-endpoints.server";

/** `GET /api/webhooks/<id>/deliveries`: what became of the latest events. */
export const { loader, action, contract } = apiRoute("api", "/api/webhooks/:id/deliveries", {
  GET: endpoint({
    operationId: "listWebhookDeliveries",
    summary: "List the latest deliveries of a webhook",
    auth: apiKey,
    params: z.object({ id: z.string() }),
    query: deliveriesQuerySchema,
    responses: { 200: z.object({ deliveries: z.array(deliverySchema) }) },
    errors: ["webhook_not_found", "scope_not_allowed"],
    handle: async ({ params: { id }, query: { failed, limit }, caller, app: { database, services } }) => {
      const which = { id, ...ownerFor(caller, services) };
      const wanted = { failed: failed === "true", limit, reach: reachOfKey(caller, services) };
      return { deliveries: await listDeliveries(database, which, wanted) };
    },
  }),
});
