import { z } from "zod";
import {
  changeEmbedClient,
  describeEmbedClient,
  embedClientChangesSchema,
  embedClientSchema,
  revokeEmbedClient,
  showEmbedClient,
} from "../embed/manage-embed-clients.server";
import { apiRoute } from "../http/api-route.server";
import { requiredBearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

const params = z.object({ id: z.string() });

/** `GET /api/embed/clients/<id>`: one embed client. `PATCH` changes it, `DELETE` revokes its key. */
export const { loader, action, contract } = apiRoute("api", "/api/embed/clients/:id", {
  GET: endpoint({
    operationId: "getEmbedClient",
    summary: "Get one embed client",
    auth: requiredBearerToken,
    params,
    responses: { 200: embedClientSchema },
    errors: ["client_not_found"],
    handle: async ({ params: { id }, app }) => describeEmbedClient(await showEmbedClient(app.database, id)),
  }),
  PATCH: endpoint({
    operationId: "changeEmbedClient",
    summary: "Change an embed client; members that are not sent keep their values",
    auth: requiredBearerToken,
    params,
    body: embedClientChangesSchema,
    responses: { 200: embedClientSchema },
    errors: ["client_not_found"],
    handle: async ({ params: { id }, body, app: { database, services } }) =>
      describeEmbedClient(await changeEmbedClient(database, id, body, services)),
  }),
  DELETE: endpoint({
    operationId: "revokeEmbedClient",
    summary: "Revoke an embed client's API key, for good",
    auth: requiredBearerToken,
    params,
    responses: { 200: embedClientSchema },
    errors: ["client_not_found"],
    handle: async ({ params: { id }, app: { database } }) => {
      await revokeEmbedClient(database, id);
      return describeEmbedClient(await showEmbedClient(database, id));
    },
  }),
});
