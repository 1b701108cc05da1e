import { findEmbedClient } from "../embed/find-embed-client.server";
import { issueEmbedUrl, issueEmbedUrlSchema } from "../embed/issue-embed-url.server";
import { apiRoute, endpoint } from "../http/api-route.server";

/** `POST /api/embed/url`: a signed embed URL for an API key. */
export const { loader, action } = apiRoute("api", {
  POST: endpoint({
    auth: (request, { database }) => findEmbedClient(database, request.headers.get("X-Api-Key")),
    body: issueEmbedUrlSchema,
    handle: ({ body, caller, services: { env, now } }) =>
      issueEmbedUrl(body, caller, {
        signingSecret: env.embedSigningSecrets[0],
        platformBaseUrl: env.platformBaseUrl,
        nowSeconds: now(),
      }),
  }),
});
