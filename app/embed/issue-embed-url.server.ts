import { z } from "zod";
import { AppError } from "../app-error";
import { signEmbedToken } from "./embed-token.server";
import type { EmbedClient } from "./find-embed-client.server";
import { normalizeOrigin, normalizeOrigins } from "./origin";
import { readPolicy } from "./policy.server";
import { type EmbedService, findService, type ServiceRegistry } from "./service";

/** seconds, when the request names none, and at most */
const DEFAULT_LIFETIME = 900;
const MAX_LIFETIME = 3600;
/** characters; far above the names of services */
const MAX_SERVICE_LENGTH = 64;
/** characters; servers and proxies refuse request lines of some 8 kB, and browsers add parameters of their own to the URL */
const MAX_URL_LENGTH = 8_000;
const MAX_ORIGIN_LENGTH = 300;

const fields = {
  service: z.string().min(1).max(MAX_SERVICE_LENGTH),
  expiresInSeconds: z
    .int()
    .min(1)
    .default(DEFAULT_LIFETIME)
    .transform((seconds) => Math.min(seconds, MAX_LIFETIME)),
  origin: z
    .string()
    .max(MAX_ORIGIN_LENGTH)
    .optional()
    .describe("one of the client's allowed origins, which then is the only one that may show the page"),
};
/** For services that are not enabled. Which of them the caller may know of is decided after the body has been read. */
const anyScopeBody = z.strictObject({ ...fields, scope: z.record(z.string(), z.unknown()) });

export type IssueEmbedUrlRequest = z.infer<typeof anyScopeBody>;

const bodies = new WeakMap<EmbedService, z.ZodType<IssueEmbedUrlRequest>>();

/** The body of `POST /api/embed/url` for `service`, whose scope it holds. */
export function issueBodyOf(service: EmbedService): z.ZodType<IssueEmbedUrlRequest> {
  const known = bodies.get(service);
  if (known !== undefined) return known;
  const body = z.strictObject({ ...fields, service: z.literal(service.key), scope: service.scopeSchema });
  bodies.set(service, body);
  return body;
}

/** The body of `POST /api/embed/url`: the shape of `scope` is the service's. */
export function chooseIssueBody(json: unknown, services: ServiceRegistry): z.ZodType<IssueEmbedUrlRequest> {
  const named = typeof json === "object" && json !== null && "service" in json ? json.service : undefined;
  const service = typeof named === "string" ? findService(services, named) : undefined;
  return service ? issueBodyOf(service) : anyScopeBody;
}

export const issuedEmbedUrlSchema = z.object({
  url: z.string(),
  expiresAt: z.int().describe("unix seconds"),
  service: z.string(),
});
export type IssuedEmbedUrl = z.infer<typeof issuedEmbedUrlSchema>;

/**
 * A signed embed URL for `client`, from a body that `chooseIssueBody` has judged.
 * @throws AppError `service_not_allowed`, `service_not_enabled`, `scope_not_allowed`, `origin_not_allowed`; `invalid_request` where the URL would be too long
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
    throw new AppError("service_not_allowed", "This API key may not use that service.");
  }
  const service = findService(services, request.service);
  if (!service) {
    const available = Object.keys(services).filter((key) => services[key] !== null);
    throw new AppError(
      "service_not_enabled",
      `That service is not enabled yet. These are: ${available.join(", ")}.`,
    );
  }
  const scope = service.decideScope(request.scope, readPolicy(service, client.allowedScopes));
  const expiresAt = nowSeconds + request.expiresInSeconds;
  const token = signEmbedToken(
    {
      cid: client.id,
      companyId: client.companyId,
      svc: service.key,
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

/** The origins that a token is for: all of the client's, or the one that was asked for. */
function originsOf({ origin }: IssueEmbedUrlRequest, { allowedOrigins }: EmbedClient): string[] {
  const allowed = normalizeOrigins(allowedOrigins);
  if (origin === undefined) return allowed;
  const asked = normalizeOrigin(origin);
  if (asked !== null && allowed.includes(asked)) return [asked];
  throw new AppError(
    "origin_not_allowed",
    `The origin ${asked ?? "that was asked for"} is not one of this API key's allowed origins.`,
  );
}

function tooLong(length: number): AppError {
  const message = `The URL would have ${length} characters, of ${MAX_URL_LENGTH} at most. Name the page's origin in "origin": then the token holds no other.`;
  return new AppError("invalid_request", message, { issues: [{ path: "origin", message }] });
}
