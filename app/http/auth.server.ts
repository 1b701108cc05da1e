import { hash, timingSafeEqual } from "node:crypto";
import { verifyQueueSignature } from "../campaigns/queue-signature.server";
import { snsMessageSchema, verifySnsMessage } from "../email/events/sns-message.server";
import type { EmbedClient } from "../embed/embed-clients.server";
import { readGrant } from "../embed/embed-token.server";
import type { EmbedService, Grant } from "../embed/service";
import { AppError, invalidRequest } from "../shared/app-error";
import { parseJson } from "../shared/parse-json";
import type { Auth } from "./endpoint.server";
import { notFound } from "./failure.server";
import { parseInput } from "./request-body.server";

/** An embed client by its `X-Api-Key`. */
export const apiKey: Auth<EmbedClient> = {
  audience: "integrators",
  by: "headers",
  scheme: "apiKey",
  errors: ["invalid_api_key", "api_key_expired"],
  identify: (request, { embedClients }) => embedClients.find(request.headers.get("X-Api-Key")),
  credentialOf: (request) => request.headers.get("X-Api-Key") ?? undefined,
};

/** An integrator's backend by its `Authorization: Bearer` token. The token is empty where the deployment has configured none. */
export const bearerToken: Auth<string> = {
  audience: "integrators",
  by: "headers",
  scheme: "bearerToken",
  errors: ["invalid_bearer_token"],
  identify: (request, { env }) => {
    requireBearerToken(request, env.apiBearerTokens);
    return env.apiBearerTokens.length === 0 ? "" : bearerTokenOf(request);
  },
  credentialOf: (request, { env }) => (env.apiBearerTokens.length === 0 ? undefined : bearerTokenOf(request)),
};

/** Like `bearerToken`, but refuses everybody if no token is configured. For endpoints that create credentials. docs/decisions/0108 */
export const requiredBearerToken: Auth<void> = {
  audience: "integrators",
  by: "headers",
  scheme: "bearerToken",
  errors: ["invalid_bearer_token"],
  identify(request, { env }) {
    if (env.apiBearerTokens.length === 0) throw invalidBearerToken("API_BEARER_TOKEN is not set");
    requireBearerToken(request, env.apiBearerTokens);
  },
  credentialOf: bearerTokenOf,
};

/**
 * Identifies a browser by the embed token in its body and, for large bodies, in a header. The caller is what the token allows in
 * `service`.
 */
export function embedToken<Scope extends object>(
  service: Pick<EmbedService<Scope>, "key" | "scopeSchema">,
): Auth<Grant<Scope>> {
  return {
    audience: "frame",
    by: "body",
    errors: ["invalid_token", "token_expired", "scope_not_allowed"],
    identify: (token, { env, now }) =>
      readGrant(token, service, { signingSecrets: env.embedSigningSecrets, nowSeconds: now() }),
    tokenInHeader: bearerTokenOf,
  };
}

/**
 * The message queue by its signature, over the raw bytes and for this URL alone.
 * @param path below the API's base URL
 */
export function queueSignature(path: string): Auth<void> {
  return {
    audience: "providers",
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

/** Amazon SNS by the signature in its message. Only for the topics of this deployment; a 404 where it has none. */
export const snsSignature: Auth<void> = {
  audience: "providers",
  by: "signature",
  scheme: "snsSignature",
  errors: ["invalid_signature", "not_found"],
  async identify({ headers }, { env, now, sns }, request) {
    const topics = env.emailEventsTopics;
    if (topics.length === 0) throw notFound();
    if (headers.get("x-amz-sns-rawdelivery") === "true") {
      const message = "The message is not signed. Turn off raw message delivery for the subscription.";
      throw invalidRequest([{ path: "", message }]);
    }
    const settings = { topics, nowSeconds: now(), sns, request };
    return (body) => verifySnsMessage(parseInput(snsMessageSchema, parseJson(body)), settings);
  },
};

/**
 * Checks `Authorization: Bearer …` against the configured tokens. Every request passes if none is configured. RFC 6750.
 * @throws AppError `invalid_bearer_token`, the same for a missing, malformed or unknown token
 */
export function requireBearerToken(request: Request, accepted: readonly string[]): void {
  if (accepted.length === 0) return;
  const given = sha256(bearerTokenOf(request));
  // Hashes have one length and every token is compared, so the time taken reveals nothing about any of them.
  const matches = accepted.filter((token) => timingSafeEqual(sha256(token), given));
  if (matches.length > 0) return;
  throw invalidBearerToken();
}

function invalidBearerToken(logDetail?: string): AppError {
  return new AppError(
    "invalid_bearer_token",
    "The bearer token is missing or not valid. Send a valid one as Authorization: Bearer, from your backend only.",
    { headers: { "WWW-Authenticate": "Bearer" }, ...(logDetail === undefined ? {} : { logDetail }) },
  );
}

/** The token of `Authorization: Bearer …`; empty where there is none. */
export function bearerTokenOf(request: Request): string {
  return /^Bearer +(\S+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? "";
}

const sha256 = (text: string) => hash("sha256", text, "buffer");
