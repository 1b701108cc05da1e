import { grantOf, type TokenSettings, verifyEmbedToken } from "./embed-token.server";
import { embeddingOriginOf, isAllowedOrigin, normalizeOrigins } from "./origin";
import { refusal } from "./refusals";
import { type EmbedService, findService, type Grant, type ServiceRegistry } from "./service";

export interface OpenedEmbed {
  service: EmbedService;
  token: string;
  grant: Grant;
  /** origin of the embedding page; one of the token's */
  embeddingOrigin: string;
  /** the token's origins, normalized */
  allowedOrigins: string[];
}

/**
 * Checks a request for `/embed/{service}` before anything is rendered: the service, the token's signature, expiry and
 * service, and the origin of the embedding page. docs/contract.md#rendering
 * @throws AppError with a code of `refusals`
 */
export function openEmbed(
  request: { service: string; token: string | null; headers: Headers },
  services: ServiceRegistry,
  { signingSecrets, nowSeconds }: TokenSettings,
): OpenedEmbed {
  const { token, headers } = request;
  const service = findService(services, request.service);
  if (service === undefined) throw refusal("not_found");
  if (service === null) throw refusal("service_not_enabled");
  if (token === null || token === "") throw refusal("token_missing");
  const payload = verifyEmbedToken(token, signingSecrets, nowSeconds);
  if (payload.svc !== service.key) throw refusal("service_mismatch");
  const embeddingOrigin = embeddingOriginOf(headers);
  if (embeddingOrigin === null) {
    throw refusal(headers.has("Origin") ? "origin_not_allowed" : "referrer_missing");
  }
  if (!isAllowedOrigin(embeddingOrigin, payload.origins)) throw refusal("origin_not_allowed");
  const allowedOrigins = normalizeOrigins(payload.origins);
  return { service, token, grant: grantOf(payload, service), embeddingOrigin, allowedOrigins };
}
