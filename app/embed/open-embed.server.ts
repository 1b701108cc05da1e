import { AppError } from "../app-error";
import { type EmbedTokenPayload, verifyEmbedToken } from "./embed-token.server";
import { isAllowedOrigin, normalizeOrigins, parentOriginOf } from "./origin";
import { EmbedRefusal } from "./refusals";
import { embedServices, isEmbedService } from "./services";

export interface OpenedEmbed {
  token: string;
  payload: EmbedTokenPayload;
  /** exact origin of the embedding page, on the token's list */
  parentOrigin: string;
  /** the token's origins in their normal form */
  parentOrigins: string[];
}

/**
 * Judges a request for `/embed/{service}`: service, signature, expiry, the service the token is for, and the parent's origin.
 * Nothing renders before all of that. Specification, "Render embed", rule 1; Decisions, section 6.
 * @param nowSeconds unix seconds
 * @throws EmbedRefusal
 */
export function openEmbed(
  request: { service: string; token: string | null; headers: Headers },
  { signingSecrets, nowSeconds }: { signingSecrets: readonly string[]; nowSeconds: number },
): OpenedEmbed {
  const { service, token, headers } = request;
  if (!isEmbedService(service)) throw new EmbedRefusal("not_found");
  if (!embedServices[service].enabled) throw new EmbedRefusal("service_not_enabled");
  if (token === null || token === "") throw new EmbedRefusal("token_missing");
  const payload = verify(token, signingSecrets, nowSeconds);
  if (payload.svc !== service) throw new EmbedRefusal("service_mismatch");
  const parentOrigin = parentOriginOf(headers);
  if (parentOrigin === null) {
    throw new EmbedRefusal(headers.has("Origin") ? "origin_not_allowed" : "referrer_missing");
  }
  if (!isAllowedOrigin(parentOrigin, payload.origins)) throw new EmbedRefusal("origin_not_allowed");
  return { token, payload, parentOrigin, parentOrigins: normalizeOrigins(payload.origins) };
}

function verify(token: string, signingSecrets: readonly string[], nowSeconds: number): EmbedTokenPayload {
  try {
    return verifyEmbedToken(token, signingSecrets, nowSeconds);
  } catch (error) {
    if (error instanceof AppError && (error.code === "invalid_token" || error.code === "token_expired")) {
      throw new EmbedRefusal(error.code);
    }
    throw error;
  }
}
