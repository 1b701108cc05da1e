import { z } from "zod";
import { AppError } from "../app-error";
import { decideFilesScope, filesScopeSchema } from "../services/files/scope.server";
import { signEmbedToken } from "./embed-token.server";
import type { EmbedClient } from "./find-embed-client.server";
import { normalizeOrigins } from "./origin";
import { embedServices, isEmbedService } from "./services";

/** seconds; Specification, "Limits" */
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
export const filesRequestSchema = z.strictObject({
  ...fields,
  service: z.literal("files"),
  scope: filesScopeSchema,
});
const otherRequestSchema = z.strictObject({ ...fields, scope: z.record(z.string(), z.unknown()) });

/** The body of `POST /api/embed/url`: a scope's shape depends on the service. */
export function issueEmbedUrlSchema(body: unknown): typeof filesRequestSchema | typeof otherRequestSchema {
  const isFiles = typeof body === "object" && body !== null && "service" in body && body.service === "files";
  return isFiles ? filesRequestSchema : otherRequestSchema;
}

type FilesRequest = z.infer<typeof filesRequestSchema>;
export type IssueEmbedUrlRequest = FilesRequest | z.infer<typeof otherRequestSchema>;

/** What `issueEmbedUrlSchema` let pass under that name has been judged as such. */
function isForFiles(request: IssueEmbedUrlRequest): request is FilesRequest {
  return request.service === "files";
}

export interface IssuedEmbedUrl {
  url: string;
  /** unix seconds */
  expiresAt: number;
  service: string;
}

/**
 * A signed embed URL for `client`. Specification, "Issue embed URL"; Decisions, section 5.
 * @throws AppError `service_not_allowed`, `service_not_enabled`, `scope_not_allowed`
 */
export function issueEmbedUrl(
  request: IssueEmbedUrlRequest,
  client: EmbedClient,
  settings: { signingSecret: string; platformBaseUrl: string; nowSeconds: number },
): IssuedEmbedUrl {
  const { service } = request;
  if (!client.allowedServices.includes(service)) {
    throw new AppError("service_not_allowed", "This API key may not use that service.");
  }
  if (!isEmbedService(service) || !embedServices[service].enabled || !isForFiles(request)) {
    throw new AppError("service_not_enabled", "That service is not enabled yet. `files` is.");
  }
  const scope = decideFilesScope(request.scope, client.allowedScopes);
  const expiresAt = settings.nowSeconds + request.expiresInSeconds;
  const token = signEmbedToken(
    {
      cid: client.id,
      companyId: client.companyId,
      svc: service,
      scope,
      origins: normalizeOrigins(client.allowedOrigins),
      iat: settings.nowSeconds,
      exp: expiresAt,
    },
    settings.signingSecret,
  );
  return { url: `${settings.platformBaseUrl}/embed/${service}?t=${token}`, expiresAt, service };
}
