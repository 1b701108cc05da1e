import {
  chooseEmbedUrlSchema,
  embedUrlSchemaFor,
  issuedEmbedUrlSchema,
  issueEmbedUrl,
} from "../embed/issue-embed-url.server";
import { apiRoute } from "../http/api-route.server";
import { apiKey } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/embed/url`: a signed embed URL for an API key. */
export const { loader, action, contract } = apiRoute("api", "/api/embed/url", {
  POST: endpoint({
    operationId: "issueEmbedUrl",
    summary: "Issue a signed embed URL",
    auth: apiKey,
    body: {
      options: ({ services }) =>
        Object.values(services).flatMap((service) => (service ? embedUrlSchemaFor(service) : [])),
      choose: (json, { services }) => chooseEmbedUrlSchema(json, services),
    },
    responses: { 200: issuedEmbedUrlSchema },
    errors: ["service_not_allowed", "service_not_enabled", "scope_not_allowed", "origin_not_allowed"],
    handle: ({ body, caller, app: { env, services, now } }) =>
      issueEmbedUrl(body, caller, {
        services,
        signingSecret: env.embedSigningSecrets[0],
        platformBaseUrl: env.platformBaseUrl,
        nowSeconds: now(),
      }),
  }),
});
