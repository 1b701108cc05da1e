import { hash, timingSafeEqual } from "node:crypto";
import type { EmbedClient } from "../embed/embed-clients.server";
import { readGrant } from "../embed/embed-token.server";
import type { EmbedService, Grant } from "../embed/service";
import type { Env } from "../env/env.server";
import { verifyQueueSignature } from "../providers/verify-queue-signature.server";
import { snsMessageSchema, verifySnsMessage } from "../providers/verify-sns-message.server";
import { AppError, invalidRequest } from "../shared/app-error";
import { parseJson } from "../shared/parse-json";
import type { AppContext } from "./app-context.server";
import { checkOrigin } from "./cross-origin.server";
import type { Auth } from "./endpoint.server";
import { notFound } from "./failure.server";
import { parseInput, requireJson } from "./request-body.server";

/** An embed client by its `X-Api-Key`. */
export const apiKey = {
  audience: "integrators",
  by: "headers",
  schemes: ["apiKey"],
  errors: ["invalid_api_key", "api_key_expired"],
  identify: async (request, { embedClients }) => {
    const key = request.headers.get("X-Api-Key");
    return { caller: await embedClients.find(key), credential: key ?? undefined };
  },
} satisfies Auth<EmbedClient>;

/** An integrator's backend by its `Authorization: Bearer` token. The token is empty where the deployment has configured none. */
export const bearerToken: Auth<string> = {
  audience: "integrators",
  by: "headers",
  schemes: ["bearerToken"],
  errors: ["invalid_bearer_token"],
  identify: (request, { env }) => {
    const credential = requireBearerToken(request, env.apiBearerTokens);
    return { caller: credential ?? "", credential };
  },
};

/** Like `bearerToken`, but refuses everybody if no token is configured. For endpoints that create credentials. docs/decisions/0108 */
export const requiredBearerToken = {
  audience: "integrators",
  by: "headers",
  schemes: ["bearerToken"],
  errors: ["invalid_bearer_token"],
  identify(request, { env }) {
    if (env.apiBearerTokens.length === 0)
      throw invalidBearerToken(
        "This endpoint needs a bearer token, and the deployment has no API_BEARER_TOKEN. " +
          "Start it with one; on your machine: API_BEARER_TOKEN=dev-token npm run dev.",
      );
    return { caller: undefined, credential: requireBearerToken(request, env.apiBearerTokens) };
  },
} satisfies Auth<undefined>;

/** An embed client by its `X-Api-Key`; a request without that header by `requiredBearerToken`, and its caller is undefined. */
export const apiKeyOrBearerToken: Auth<EmbedClient | undefined> = {
  audience: "integrators",
  by: "headers",
  schemes: [...apiKey.schemes, ...requiredBearerToken.schemes],
  errors: [...apiKey.errors, ...requiredBearerToken.errors],
  identify: (request, app) =>
    (request.headers.has("X-Api-Key") ? apiKey : requiredBearerToken).identify(request, app),
};

/**
 * Identifies a browser by the embed token in its body and, for large bodies, in a header. The caller is what the token allows in
 * `service`.
 */
export function embedToken<Scope extends object>(service: TokenService<Scope>): Auth<Grant<Scope>> {
  return {
    audience: "frame",
    by: "body",
    errors: tokenErrors,
    identify: (token, app) => validGrant(token, service, app),
    identityOf: identityOfGrant,
    checkOrigin: ({ origins }, request, { env }) => checkOrigin(request, origins, env),
    tokenInHeader: bearerTokenOf,
  };
}

/** As `embedToken`, for requests without a body: the token is in `Authorization: Bearer`. */
export function embedTokenInHeader<Scope extends object>(service: TokenService<Scope>): Auth<Grant<Scope>> {
  return {
    audience: "frame",
    by: "headers",
    countedAs: "token",
    schemes: ["embedToken"],
    errors: tokenErrors,
    async identify(request, app) {
      const token = bearerTokenOf(request);
      const caller = await validGrant(token, service, app);
      checkOrigin(request, caller.origins, app.env);
      return { caller, credential: identityOfGrant(caller, token) };
    },
  };
}

type TokenService<Scope extends object> = Pick<EmbedService<Scope>, "key" | "scopeSchema">;

const tokenErrors: Auth<unknown>["errors"] = [
  "invalid_token",
  "token_expired",
  "token_revoked",
  "scope_not_allowed",
  "origin_not_allowed",
];

async function validGrant<Scope extends object>(
  token: string,
  service: TokenService<Scope>,
  { env, now, revokedTokens }: Pick<AppContext, "env" | "now" | "revokedTokens">,
): Promise<Grant<Scope>> {
  const settings = { signingSecrets: env.embedSigningSecrets, nowSeconds: now() };
  const grant = readGrant(token, service, settings);
  await revokedTokens.check(grant);
  return grant;
}

/** Whom requests with an embed token are counted by: the visitor, whatever number of tokens they have; the token if it names none. */
export const identityOfGrant = (
  { clientId, visitor }: Pick<Grant, "clientId" | "visitor">,
  token: string,
): string => (visitor === undefined ? token : JSON.stringify([clientId, visitor.id]));

/**
 * The message queue by its signature, over the raw bytes and for this URL alone.
 * @param path below the API's base URL
 */
export function queueSignature(path: string): Auth<void> {
  return {
    audience: "providers",
    by: "signature",
    schemes: ["queueSignature"],
    errors: ["invalid_signature"],
    async identify({ headers }, { env, now }) {
      const { queueSigningKeys: signingKeys } = env;
      // Without QUEUE_VERIFY=true, every caller is accepted. In production that needs QUEUE_ALLOW_UNVERIFIED=true.
      if (!signingKeys) return () => requireJson(headers);
      const settings = { signingKeys, url: env.apiBaseUrl + path, nowSeconds: now() };
      const signature = await verifyQueueSignature(headers, settings);
      return (body) => {
        signature.checkBody(body);
        requireJson(headers);
      };
    },
  };
}

/**
 * Amazon SNS by the signature in its message. Only for the topics of this deployment; a 404 where it has none.
 * @param topicsOf the topics
 * @param variable the environment variable that names them
 */
export const snsSignature = (topicsOf: (env: Env) => readonly string[], variable: string): Auth<void> => ({
  audience: "providers",
  by: "signature",
  schemes: ["snsSignature"],
  errors: ["invalid_signature", "not_found"],
  async identify({ headers }, { env, now, sns }, context) {
    const topics = topicsOf(env);
    if (topics.length === 0) throw notFound();
    if (headers.get("x-amz-sns-rawdelivery") === "true") {
      const message = "The message is not signed. Turn off raw message delivery for the subscription.";
      throw invalidRequest([{ path: "", message }]);
    }
    const settings = { topics, variable, nowSeconds: now(), sns, context };
    return (body) => verifySnsMessage(parseInput(snsMessageSchema, parseJson(body)), settings);
  },
});

/**
 * Checks `Authorization: Bearer …` against the configured tokens. Every request passes if none is configured. RFC 6750.
 * @param variable the environment variable of these tokens
 * @returns the token; undefined if none is configured
 * @throws AppError `invalid_bearer_token`, the same for a missing, malformed or unknown token
 */
export function requireBearerToken(
  request: Request,
  accepted: readonly string[],
  variable = "API_BEARER_TOKEN",
): string | undefined {
  if (accepted.length === 0) return undefined;
  const token = bearerTokenOf(request);
  const given = sha256(token);
  // Hashes have one length and every token is compared, so the time taken reveals nothing about any of them.
  const matches = accepted.filter((one) => timingSafeEqual(sha256(one), given));
  if (matches.length > 0) return token;
  throw invalidBearerToken(
    `The bearer token is missing or not valid. Send one of ${variable} as Authorization: Bearer, from your backend only.`,
  );
}

const invalidBearerToken = (message: string) =>
  new AppError("invalid_bearer_token", message, { headers: { "WWW-Authenticate": "Bearer" } });

/** The token of `Authorization: Bearer …`; empty where there is none. */
export function bearerTokenOf(request: Request): string {
  return /^Bearer +(\S+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? "";
}

const sha256 = (text: string) => hash("sha256", text, "buffer");
