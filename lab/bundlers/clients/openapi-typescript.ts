import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi-typescript.js";
import {
  baseUrl,
  bearer,
  bucket,
  check,
  companyId,
  newClient,
  newEmail,
  newWebhook,
  unknownKey,
} from "./settings.js";

const api = createClient<paths>({ baseUrl });

const health = await api.GET("/healthz");
const created = await api.POST("/api/embed/clients", { headers: bearer, body: newClient });
if (!created.data) throw new Error(created.error.error);
const { client, apiKey } = created.data;
const key = { "X-Api-Key": apiKey };
const path = { id: client.id };
const found = await api.GET("/api/embed/clients/{id}", { headers: bearer, params: { path } });
const changed = await api.PATCH("/api/embed/clients/{id}", {
  headers: bearer,
  params: { path },
  body: { name: "Renamed" },
});
const clients = await api.GET("/api/embed/clients", { headers: bearer, params: { query: { companyId } } });
const request: components["schemas"]["IssueEmbedUrlRequest"] = { service: "files", scope: { bucket } };
const issued = await api.POST("/api/embed/url", { headers: key, body: request });
const events = await api.GET("/api/events", { headers: key });
const preview = await api.POST("/api/preview-simple-email", { headers: bearer, body: newEmail });
const sent = await api.POST("/api/send-simple-email", {
  headers: bearer,
  params: { header: { "Idempotency-Key": "openapi-typescript" } },
  body: newEmail,
});
const webhook = await api.POST("/api/webhooks", { headers: key, body: newWebhook });
if (!webhook.data) throw new Error(webhook.error.error);
const webhooks = await api.GET("/api/webhooks", { headers: key });
const deleted = await api.DELETE("/api/webhooks/{id}", {
  headers: key,
  params: { path: { id: webhook.data.id } },
});
const revoked = await api.DELETE("/api/embed/clients/{id}", { headers: bearer, params: { path } });
const refused = await api.POST("/api/embed/url", { headers: unknownKey, body: request });
const code: string | undefined = refused.error?.code;
if (code !== "invalid_api_key") throw new Error(`The code is ${code}.`);

const calls = [health, created, found, changed, clients, issued, events, preview, sent, webhook, webhooks];
check([...calls, deleted, revoked, refused].map(({ response }) => response.status));
