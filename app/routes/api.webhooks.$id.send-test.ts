import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { RESPONSE_TIMEOUT_MS } from "../webhooks/send-webhook.server";
import { sendTestEvent, testedSchema } from "../webhooks/webhook-deliveries.server";
import { ownerFor } from "../webhooks/webhook-endpoints.server";

/** `POST /api/webhooks/<id>/send-test`: sends a message of type `webhook.test` now. */
export const { loader, action, contract } = apiRoute("api", "/api/webhooks/:id/send-test", {
  POST: endpoint({
    operationId: "testWebhook",
    summary: "Send a test message now, and say what came of it",
    auth: apiKey,
    params: z.object({ id: z.string() }),
    // The receiver has as long as for any event, and the result says if it was too slow.
    budgetMs: RESPONSE_TIMEOUT_MS + 3_000,
    responses: { 200: testedSchema },
    errors: ["webhook_not_found", "scope_not_allowed", "webhook_disabled"],
    handle: ({ params: { id }, caller, app: { database, env, services, webhookRequests } }) =>
      webhookRequests.run(caller.companyId, caller.id, () =>
        sendTestEvent(database, { id, ...ownerFor(caller, services) }, env.webhooks),
      ),
  }),
});
