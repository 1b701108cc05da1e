import { client as api } from "./generated/hey-api/client.gen.js";
import {
  changeEmbedClient,
  checkHealth,
  createEmbedClient,
  createWebhook,
  deleteWebhook,
  getEmbedClient,
  issueEmbedUrl,
  listEmbedClients,
  listEvents,
  listWebhooks,
  previewSimpleEmail,
  revokeEmbedClient,
  sendSimpleEmail,
} from "./generated/hey-api/sdk.gen.js";
import type { IssueEmbedUrlRequest } from "./generated/hey-api/types.gen.js";
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

api.setConfig({ baseUrl });

const health = await checkHealth();
const created = await createEmbedClient({ headers: bearer, body: newClient });
if (!created.data) throw new Error(JSON.stringify(created.error));
const { client, apiKey } = created.data;
const key = { "X-Api-Key": apiKey };
const path = { id: client.id };
const found = await getEmbedClient({ headers: bearer, path });
const changed = await changeEmbedClient({ headers: bearer, path, body: { name: "Renamed" } });
const clients = await listEmbedClients({ headers: bearer, query: { companyId } });
const request: IssueEmbedUrlRequest = { service: "files", scope: { bucket } };
const issued = await issueEmbedUrl({ headers: key, body: request });
const events = await listEvents({ headers: key });
const preview = await previewSimpleEmail({ headers: bearer, body: newEmail });
const sent = await sendSimpleEmail({
  headers: { ...bearer, "Idempotency-Key": "hey-api" },
  body: newEmail,
});
const webhook = await createWebhook({ headers: key, body: newWebhook });
if (!webhook.data) throw new Error(JSON.stringify(webhook.error));
const webhooks = await listWebhooks({ headers: key });
const deleted = await deleteWebhook({ headers: key, path: { id: webhook.data.id } });
const revoked = await revokeEmbedClient({ headers: bearer, path });
const refused = await issueEmbedUrl({ headers: unknownKey, body: request });
if (refused.error?.code !== "invalid_api_key") throw new Error(JSON.stringify(refused.error));

const calls = [health, created, found, changed, clients, issued, events, preview, sent, webhook, webhooks];
for (const { error } of [...calls, deleted, revoked]) if (error) throw new Error(JSON.stringify(error));
check([...calls, deleted, revoked, refused].map(({ response }) => response.status));
