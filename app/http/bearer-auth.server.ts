import { hash, timingSafeEqual } from "node:crypto";
import { AppError } from "../app-error";

/**
 * The `auth` of endpoints that only an integrator's backend may call: `Authorization: Bearer …` with any of the configured
 * tokens. With none configured the endpoint is open. RFC 6750.
 * @throws AppError `invalid_bearer_token`, the same for a token that is missing, malformed or unknown
 */
export function requireBearerToken(request: Request, accepted: readonly string[]): void {
  if (accepted.length === 0) return;
  const given = sha256(bearerTokenOf(request));
  // Hashes are equally long, and every token is tried: the time taken tells nothing about any of them.
  const matches = accepted.filter((token) => timingSafeEqual(sha256(token), given));
  if (matches.length > 0) return;
  throw new AppError(
    "invalid_bearer_token",
    "The bearer token is missing or not valid. Send a valid one as Authorization: Bearer, from your backend only.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

/** The token of `Authorization: Bearer …`; empty where there is none. */
export function bearerTokenOf(request: Request): string {
  return /^Bearer +(\S+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? "";
}

const sha256 = (text: string) => hash("sha256", text, "buffer");
