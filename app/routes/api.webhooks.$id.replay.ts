import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { EVENTS_OF_ONE_REQUEST, furtherRequestsOf } from "../http/rate-limits.server";
import {
  MAX_REPLAYED_EVENTS,
  replayEvents,
  replayedSchema,
  replaySchema,
} from "../webhooks/webhook-deliveries.server";
import { ownerFor } from "../webhooks/webhook-endpoints.server";

/** `POST /api/webhooks/<id>/replay`: sends events again. */
export const { loader, action, contract } = apiRoute("api", "/api/webhooks/:id/replay", {
  POST: endpoint({
    operationId: "replayWebhookEvents",
    summary: "Send events to a webhook again",
    auth: apiKey,
    params: z.object({ id: z.string() }),
    body: replaySchema,
    responses: { 200: replayedSchema },
    errors: ["webhook_not_found", "scope_not_allowed", "webhook_disabled"],
    async handle({
      params: { id },
      body,
      caller,
      app: { database, services, webhookRequests },
      countFurther,
    }) {
      const events = body.eventIds?.length ?? MAX_REPLAYED_EVENTS;
      await countFurther(furtherRequestsOf(events, EVENTS_OF_ONE_REQUEST));
      return webhookRequests.run(caller.companyId, caller.id, () =>
        replayEvents(database, { id, ...ownerFor(caller, services) }, body, services),
      );
    },
  }),
});
