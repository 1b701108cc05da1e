import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import {
  createWebhook,
  keyedWebhookSchema,
  listWebhooks,
  newWebhookSchema,
  ownerFor,
  webhookSchema,
} from "../webhooks/webhook-endpoints.server";

/** `GET /api/webhooks`: the webhooks that the API key manages. `POST`: a new one, with its secret. */
export const { loader, action, contract } = apiRoute("api", "/api/webhooks", {
  GET: endpoint({
    operationId: "listWebhooks",
    summary: "List the webhooks that the API key manages",
    auth: apiKey,
    responses: { 200: z.object({ webhooks: z.array(webhookSchema) }) },
    handle: async ({ caller, app: { database, services } }) => ({
      webhooks: await listWebhooks(database, ownerFor(caller, services)),
    }),
  }),
  POST: endpoint({
    operationId: "createWebhook",
    summary: "Create a webhook and its secret",
    auth: apiKey,
    body: newWebhookSchema,
    responses: { 201: keyedWebhookSchema },
    errors: ["webhook_limit_reached"],
    handle: ({ body, caller, app: { database, env } }) => createWebhook(database, caller, body, env.webhooks),
  }),
});
