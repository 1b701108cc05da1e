import { invalidRequest } from "../app-error";
import { verifyQueueSignature } from "../campaigns/queue-signature.server";
import { snsMessageSchema } from "../email/events/sns-message.server";
import { verifySnsMessage } from "../email/events/verify-sns-message.server";
import { type EmbedClient, findEmbedClient } from "../embed/find-embed-client.server";
import { readGrant } from "../embed/grant.server";
import type { EmbedService, Grant } from "../embed/service";
import { parseJson } from "../parse-json";
import { bearerTokenOf, requireBearerToken } from "./bearer-auth.server";
import type { Auth } from "./endpoint.server";
import { notFound } from "./not-found.server";
import { parseInput } from "./read-json.server";

/** An embed client by its `X-Api-Key`. */
export const apiKey: Auth<EmbedClient> = {
  by: "headers",
  scheme: "apiKey",
  errors: ["invalid_api_key", "api_key_expired"],
  identify: (request, { database }) => findEmbedClient(database, request.headers.get("X-Api-Key")),
  credentialOf: (request) => request.headers.get("X-Api-Key") ?? undefined,
};

/** An integrator's backend by `Authorization: Bearer`: its token, which is empty where the deployment has configured none. */
export const bearerToken: Auth<string> = {
  by: "headers",
  scheme: "bearerToken",
  errors: ["invalid_bearer_token"],
  identify: (request, { env }) => {
    requireBearerToken(request, env.apiBearerTokens);
    return env.apiBearerTokens.length === 0 ? "" : bearerTokenOf(request);
  },
  credentialOf: (request, { env }) => (env.apiBearerTokens.length === 0 ? undefined : bearerTokenOf(request)),
};

/** A browser by the embed token in its body: what it allows in `service`. */
export function embedToken<Scope extends object>(
  service: Pick<EmbedService<Scope>, "key" | "scopeSchema">,
): Auth<Grant<Scope>> {
  return {
    by: "body",
    errors: ["invalid_token", "token_expired", "scope_not_allowed"],
    identify: (token, { env, now }) =>
      readGrant(token, service, { signingSecrets: env.embedSigningSecrets, nowSeconds: now() }),
  };
}

/**
 * The message queue by its signature, over the raw bytes and for this address alone.
 * @param path of the address under the API's base URL
 */
export function queueSignature(path: string): Auth<void> {
  return {
    by: "signature",
    scheme: "queueSignature",
    errors: ["invalid_signature"],
    async identify({ headers }, { env, now }) {
      const { queueSigningKeys: signingKeys } = env;
      if (!signingKeys) return () => {};
      const settings = { signingKeys, url: env.apiBaseUrl + path, nowSeconds: now() };
      const signature = await verifyQueueSignature(headers, settings);
      return (body) => signature.checkBody(body);
    },
  };
}

/** Amazon SNS by the signature in its message, for the topics of this deployment. Without one of them there is nothing here. */
export const snsSignature: Auth<void> = {
  by: "signature",
  scheme: "snsSignature",
  errors: ["invalid_signature", "not_found"],
  async identify({ headers }, { env, now, sns }, request) {
    const topics = env.emailEventsTopics;
    if (topics.length === 0) throw notFound();
    if (headers.get("x-amz-sns-rawdelivery") === "true") {
      const message =
        "must not be delivered raw: switch raw message delivery of the subscription off, for what is raw is not signed";
      throw invalidRequest([{ path: "", message }]);
    }
    const settings = { topics, nowSeconds: now(), sns, request };
    return (body) => verifySnsMessage(parseInput(snsMessageSchema, parseJson(body)), settings);
  },
};
