import * as api from "./generated/orval.js";
import * as schemas from "./generated/orval-zod.js";
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

// The client that orval makes has relative addresses.
const plainFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  plainFetch(typeof input === "string" ? new URL(input, baseUrl) : input, init);

const bearerOnly = { headers: bearer };
const health = await api.checkHealth();
const created = await api.createEmbedClient(schemas.createEmbedClientBody.parse(newClient), bearerOnly);
if (created.status !== 201) throw new Error(created.data.error);
const { client, apiKey } = created.data;
const keyOnly = { headers: { "X-Api-Key": apiKey } };
const found = await api.getEmbedClient(client.id, bearerOnly);
schemas.getEmbedClientResponse.parse(found.data);
const changed = await api.changeEmbedClient(client.id, { name: "Renamed" }, bearerOnly);
const clients = await api.listEmbedClients({ companyId }, bearerOnly);
schemas.listEmbedClientsResponse.parse(clients.data);
const request = schemas.issueEmbedUrlBody.parse({ service: "files", scope: { bucket } });
const issued = await api.issueEmbedUrl(request, keyOnly);
schemas.issueEmbedUrlResponse.parse(issued.data);
const events = await api.listEvents(undefined, keyOnly);
const preview = await api.previewSimpleEmail(newEmail, bearerOnly);
const sent = await api.sendSimpleEmail(schemas.sendSimpleEmailBody.parse(newEmail), bearerOnly);
const webhook = await api.createWebhook(newWebhook, keyOnly);
if (webhook.status !== 201) throw new Error(webhook.data.error);
const webhooks = await api.listWebhooks(keyOnly);
const deleted = await api.deleteWebhook(webhook.data.id, keyOnly);
const revoked = await api.revokeEmbedClient(client.id, bearerOnly);
const refused = await api.issueEmbedUrl(request, { headers: unknownKey });
if (refused.status !== 401 || refused.data.code !== "invalid_api_key") throw new Error(`${refused.status}`);

const calls = [health, created, found, changed, clients, issued, events, preview, sent, webhook, webhooks];
check([...calls, deleted, revoked, refused].map(({ status }) => status));
