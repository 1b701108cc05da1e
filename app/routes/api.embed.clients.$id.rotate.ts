import { z } from "zod";
import {
  describeEmbedClient,
  keyedEmbedClientSchema,
  rotateApiKey,
} from "../embed/manage-embed-clients.server";
import { apiRoute } from "../http/api-route.server";
import { requiredBearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/embed/clients/<id>/rotate`: a new API key for an embed client. */
export const { loader, action, contract } = apiRoute("api", "/api/embed/clients/:id/rotate", {
  POST: endpoint({
    operationId: "rotateEmbedClientKey",
    summary: "Replace an embed client's API key; the old one and its tokens stop within 5 seconds",
    auth: requiredBearerToken,
    params: z.object({ id: z.string() }),
    query: z.strictObject({
      keepTokens: z
        .enum(["true", "false"])
        .default("false")
        .describe("true: tokens that were issued with the old key stay valid until they expire"),
    }),
    responses: { 200: keyedEmbedClientSchema },
    errors: ["client_not_found", "client_not_live", "rotation_conflict"],
    handle: async ({ params: { id }, query, app: { database } }) => {
      const keepTokens = query.keepTokens === "true";
      const { apiKey, ...client } = await rotateApiKey(database, id, { keepTokens });
      return { client: describeEmbedClient(client), apiKey };
    },
  }),
});
