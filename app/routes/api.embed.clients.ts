import { z } from "zod";
import {
  createEmbedClient,
  describeEmbedClient,
  embedClientSchema,
  embedClientsPageSchema,
  keyedEmbedClientSchema,
  newEmbedClientSchema,
  pageEmbedClients,
} from "../embed/manage-embed-clients.server";
import { apiRoute } from "../http/api-route.server";
import { requiredBearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `GET /api/embed/clients`: the embed clients. `POST`: a new one, with its API key. */
export const { loader, action, contract } = apiRoute("api", "/api/embed/clients", {
  GET: endpoint({
    operationId: "listEmbedClients",
    summary: "List embed clients, newest first",
    auth: requiredBearerToken,
    query: embedClientsPageSchema,
    responses: {
      200: z.object({ clients: z.array(embedClientSchema), nextCursor: z.string().nullable() }),
    },
    errors: ["company_not_found"],
    handle: async ({ query, app }) => {
      const { clients, nextCursor } = await pageEmbedClients(app.database, query);
      return { clients: clients.map(describeEmbedClient), nextCursor };
    },
  }),
  POST: endpoint({
    operationId: "createEmbedClient",
    summary: "Create an embed client and its API key",
    auth: requiredBearerToken,
    body: newEmbedClientSchema,
    responses: { 201: keyedEmbedClientSchema },
    errors: ["company_not_found"],
    handle: async ({ body, app: { database, services } }) => {
      const { companyId, allowedServices, allowedOrigins, allowedScopes, ...rest } = body;
      const { apiKey, ...client } = await createEmbedClient(
        database,
        {
          ...rest,
          company: { id: companyId },
          services: allowedServices,
          origins: allowedOrigins,
          policies: allowedScopes,
        },
        services,
      );
      return { client: describeEmbedClient(client), apiKey };
    },
  }),
});
