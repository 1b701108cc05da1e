import { AppError } from "../app-error";
import { type EmbedTokenPayload, verifyEmbedToken } from "./embed-token.server";
import { grantOf, type TokenSettings } from "./grant.server";
import { isAllowedOrigin, normalizeOrigins, parentOriginOf } from "./origin";
import { EmbedRefusal } from "./refusals";
import { type EmbedService, findService, type Grant, type ServiceRegistry } from "./service";

export interface OpenedEmbed {
  service: EmbedService;
  token: string;
  grant: Grant;
  /** exact origin of the embedding page, on the token's list */
  parentOrigin: string;
  /** the token's origins in their normal form */
  parentOrigins: string[];
}

/**
 * Judges a request for `/embed/{service}`: service, signature, expiry, the service the token is for, and the parent's origin.
 * Nothing renders before all of that. docs/contract.md#rendering
 * @throws EmbedRefusal
 */
export function openEmbed(
  request: { service: string; token: string | null; headers: Headers },
  services: ServiceRegistry,
  settings: TokenSettings,
): OpenedEmbed {
  const { token, headers } = request;
  const service = findService(services, request.service);
  if (service === undefined) throw new EmbedRefusal("not_found");
  if (service === null) throw new EmbedRefusal("service_not_enabled");
  if (token === null || token === "") throw new EmbedRefusal("token_missing");
  const payload = verify(token, settings);
  if (payload.svc !== service.key) throw new EmbedRefusal("service_mismatch");
  const parentOrigin = parentOriginOf(headers);
  if (parentOrigin === null) {
    throw new EmbedRefusal(headers.has("Origin") ? "origin_not_allowed" : "referrer_missing");
  }
  if (!isAllowedOrigin(parentOrigin, payload.origins)) throw new EmbedRefusal("origin_not_allowed");
  const parentOrigins = normalizeOrigins(payload.origins);
  return { service, token, grant: refusing(() => grantOf(payload, service)), parentOrigin, parentOrigins };
}

function verify(token: string, { signingSecrets, nowSeconds }: TokenSettings): EmbedTokenPayload {
  return refusing(() => verifyEmbedToken(token, signingSecrets, nowSeconds));
}

/** What `read` returns; a token that it refuses is refused on the page. */
function refusing<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && (error.code === "invalid_token" || error.code === "token_expired")) {
      throw new EmbedRefusal(error.code);
    }
    throw error;
  }
}
