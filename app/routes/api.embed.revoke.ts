import { revokedTokensSchema, revokeTokens, revokeTokensSchema } from "../embed/revoked-tokens.server";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/embed/revoke`: ends embed tokens of an API key before they expire. */
export const { loader, action, contract } = apiRoute("api", "/api/embed/revoke", {
  POST: endpoint({
    operationId: "revokeEmbedTokens",
    summary: "Revoke embed tokens, of one visitor or all",
    auth: apiKey,
    body: revokeTokensSchema,
    responses: { 200: revokedTokensSchema },
    handle: async ({ body, caller, app: { database, now } }) => ({
      revokedBefore: await revokeTokens(database, caller.id, body, now()),
    }),
  }),
});
