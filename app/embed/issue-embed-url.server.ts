import { z } from "zod";
import { AppError } from "../shared/app-error";
import { clamped } from "../shared/clamped";
import type { EmbedClient } from "./embed-clients.server";
import { signEmbedToken } from "./embed-token.server";
import { normalizeOrigin, normalizeOrigins } from "./origin";
import { type EmbedService, findService, type ServiceRegistry } from "./service";
import { visitorSchema } from "./visitor";

const DEFAULT_LIFETIME_SECONDS = 900;
const MAX_LIFETIME_SECONDS = 3600;
/** characters; far more than any service's key has */
const MAX_SERVICE_LENGTH = 64;
/** characters; servers and proxies refuse request lines of about 8 kB, and the element adds parameters to the URL */
const MAX_URL_LENGTH = 8_000;
const MAX_ORIGIN_LENGTH = 300;

const fields = {
  service: z.string().min(1).max(MAX_SERVICE_LENGTH),
  expiresInSeconds: clamped(MAX_LIFETIME_SECONDS, z.int().min(1).default(DEFAULT_LIFETIME_SECONDS)),
  origin: z
    .string()
    .max(MAX_ORIGIN_LENGTH)
    .optional()
    .describe("one of the client's allowed origins; only this one may then embed the page"),
  visitor: visitorSchema.optional(),
};
/** For a body that names no enabled service. `issueEmbedUrl` then says why it is refused. */
const anyServiceSchema = z.strictObject({ ...fields, scope: z.record(z.string(), z.unknown()) });

export type IssueEmbedUrlRequest = z.infer<typeof anyServiceSchema>;

/** Made once, because Zod prepares a schema when it first parses with it. */
const schemas = new WeakMap<EmbedService, z.ZodType<IssueEmbedUrlRequest>>();

/** The schema of the body of `POST /api/embed/url` for `service`. */
export function embedUrlSchemaFor(service: EmbedService): z.ZodType<IssueEmbedUrlRequest> {
  const cached = schemas.get(service);
  if (cached !== undefined) return cached;
  const schema = z.strictObject({ ...fields, service: z.literal(service.key), scope: service.scopeSchema });
  schemas.set(service, schema);
  return schema;
}

/** Chooses the schema by the `service` in the body, because `scope` is different for each service. */
export function chooseEmbedUrlSchema(
  json: unknown,
  services: ServiceRegistry,
): z.ZodType<IssueEmbedUrlRequest> {
  const named = typeof json === "object" && json !== null && "service" in json ? json.service : undefined;
  const service = typeof named === "string" ? findService(services, named) : undefined;
  return service ? embedUrlSchemaFor(service) : anyServiceSchema;
}

export const issuedEmbedUrlSchema = z.object({
  url: z.string(),
  expiresAt: z.int().describe("unix seconds"),
  service: z.string(),
});
export type IssuedEmbedUrl = z.infer<typeof issuedEmbedUrlSchema>;

/**
 * Issues a signed embed URL to `client`.
 * @param request valid by the schema of `chooseEmbedUrlSchema`
 * @throws AppError `service_not_allowed`, `service_not_enabled`, `scope_not_allowed`, `origin_not_allowed`;
 * `invalid_request` if the URL would be too long
 */
export function issueEmbedUrl(
  request: IssueEmbedUrlRequest,
  client: EmbedClient,
  settings: {
    services: ServiceRegistry;
    signingSecret: string;
    platformBaseUrl: string;
    nowSeconds: number;
  },
): IssuedEmbedUrl {
  const { services, signingSecret, platformBaseUrl, nowSeconds } = settings;
  if (!client.allowedServices.includes(request.service)) {
    const allowed = client.allowedServices.join(", ") || "none";
    throw new AppError(
      "service_not_allowed",
      `This API key may not use that service. Services that it may use: ${allowed}.`,
    );
  }
  const service = findService(services, request.service);
  if (!service) {
    const available = Object.keys(services).filter((key) => services[key] !== null);
    throw new AppError(
      "service_not_enabled",
      `That service is not enabled yet. Enabled services: ${available.join(", ")}.`,
    );
  }
  const scope = service.decideScope(request.scope, readPolicy(service, client.allowedScopes));
  const expiresAt = nowSeconds + request.expiresInSeconds;
  const token = signEmbedToken(
    {
      cid: client.id,
      companyId: client.companyId,
      svc: service.key,
      ...(request.visitor && { visitor: request.visitor }),
      scope,
      origins: originsOf(request, client),
      iat: nowSeconds,
      exp: expiresAt,
    },
    signingSecret,
  );
  const url = `${platformBaseUrl}/embed/${service.key}?t=${token}`;
  if (url.length > MAX_URL_LENGTH) throw tooLong(url.length);
  return { url, expiresAt, service: service.key };
}

/** The origins of the token: all of the client's, or the one that was requested. */
function originsOf({ origin }: IssueEmbedUrlRequest, { allowedOrigins }: EmbedClient): string[] {
  const allowed = normalizeOrigins(allowedOrigins);
  if (allowed.length === 0 && allowedOrigins.length > 0)
    throw new AppError(
      "origin_not_allowed",
      "No page could show this: none of this API key's allowed origins is an origin, like https://app.example.com. An origin has no path and no wildcard.",
    );
  if (origin === undefined) return allowed;
  const requestedOrigin = normalizeOrigin(origin);
  if (requestedOrigin !== null && allowed.includes(requestedOrigin)) return [requestedOrigin];
  throw new AppError(
    "origin_not_allowed",
    `The origin ${requestedOrigin ?? "that was requested"} is not one of this API key's allowed origins.`,
  );
}

function tooLong(length: number): AppError {
  const message =
    `The URL would have ${length} characters; the limit is ${MAX_URL_LENGTH}. Set "origin" to the page's origin, ` +
    "so that the token contains only that one.";
  return new AppError("invalid_request", message, { issues: [{ path: "origin", message }] });
}

/** The client's policy for `service`. @throws AppError `scope_not_allowed` when there is none, or it is invalid */
export function readPolicy<Policy>(
  service: Pick<EmbedService<never, Policy>, "key" | "policySchema">,
  allowedScopes: unknown,
): Policy {
  const policies: Record<string, unknown> = Object(allowedScopes);
  const policy = service.policySchema.safeParse(policies[service.key]);
  if (policy.success) return policy.data;
  const isThere = Object.hasOwn(policies, service.key);
  throw new AppError(
    "scope_not_allowed",
    isThere
      ? `This API key's policy for ${service.key} is not valid. npm run doctor -- --only database says what is wrong with it.`
      : `This API key has no policy for ${service.key}.`,
    { logDetail: `allowed_scopes.${service.key} is ${isThere ? "invalid" : "missing"}` },
  );
}
