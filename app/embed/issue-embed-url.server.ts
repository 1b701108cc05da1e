import { z } from "zod";
import { AppError } from "../app-error";
import { signEmbedToken } from "./embed-token.server";
import type { EmbedClient } from "./find-embed-client.server";
import { normalizeOrigins } from "./origin";
import { readPolicy } from "./policy.server";
import { type EmbedService, findService, type ServiceRegistry } from "./service";

/** seconds, when the request names none, and at most */
const DEFAULT_LIFETIME = 900;
const MAX_LIFETIME = 3600;
/** characters; far above the names of services */
const MAX_SERVICE_LENGTH = 64;

const fields = {
  service: z.string().min(1).max(MAX_SERVICE_LENGTH),
  expiresInSeconds: z
    .int()
    .min(1)
    .default(DEFAULT_LIFETIME)
    .transform((seconds) => Math.min(seconds, MAX_LIFETIME)),
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
 * @throws AppError `service_not_allowed`, `service_not_enabled`, `scope_not_allowed`
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
      origins: normalizeOrigins(client.allowedOrigins),
      iat: nowSeconds,
      exp: expiresAt,
    },
    signingSecret,
  );
  return { url: `${platformBaseUrl}/embed/${service.key}?t=${token}`, expiresAt, service: service.key };
}
