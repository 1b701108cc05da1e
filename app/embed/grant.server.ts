import { AppError } from "../app-error";
import { type EmbedTokenPayload, verifyEmbedToken } from "./embed-token.server";
import type { EmbedService, Grant } from "./service";

/** What verifying an embed token takes. */
export interface TokenSettings {
  signingSecrets: readonly string[];
  /** unix seconds */
  nowSeconds: number;
}

/**
 * What `token` allows in `service`.
 * @throws AppError `invalid_token`, `token_expired`; `scope_not_allowed` when the token is for another service
 */
export function readGrant<Scope extends object>(
  token: string,
  service: Pick<EmbedService<Scope>, "key" | "scopeSchema">,
  { signingSecrets, nowSeconds }: TokenSettings,
): Grant<Scope> {
  const payload = verifyEmbedToken(token, signingSecrets, nowSeconds);
  if (payload.svc !== service.key) {
    throw new AppError("scope_not_allowed", `This token is for another service than ${service.key}.`);
  }
  return grantOf(payload, service);
}

/** `readGrant` for a token that has been verified already. @throws AppError `invalid_token` */
export function grantOf<Scope extends object>(
  payload: EmbedTokenPayload,
  service: Pick<EmbedService<Scope>, "scopeSchema">,
): Grant<Scope> {
  const scope = service.scopeSchema.safeParse(payload.scope);
  if (!scope.success) throw new AppError("invalid_token", "The embed token is not valid.");
  return { scope: scope.data, companyId: payload.companyId, expiresAt: payload.exp };
}
