import { z } from "zod";
import { AppError } from "../shared/app-error";
import { normalizeOrigins } from "./origin";
import type { EmbedService, Grant } from "./service";
import { readSignedValue, signValue, splitSignedValue } from "./signed-value.server";
import { visitorSchema } from "./visitor";

/** Embed tokens: signed values (signed-value.server.ts) whose `purpose` is empty. docs/contract.md#embed-tokens */

const payloadSchema = z.object({
  /** id of the embed client */
  cid: z.string(),
  companyId: z.string(),
  /** service key, such as `files` */
  svc: z.string(),
  /** only where the integrator named one */
  visitor: visitorSchema.optional(),
  /** as the service's `scopeSchema` describes it */
  scope: z.record(z.string(), z.unknown()),
  /** origins of pages that may embed the service or use the token */
  origins: z.array(z.string()),
  /** issued at, unix seconds */
  iat: z.int(),
  /** expires at, unix seconds; the token is refused from this second on */
  exp: z.int(),
});

export type EmbedTokenPayload = z.infer<typeof payloadSchema>;

export function signEmbedToken(payload: EmbedTokenPayload, secret: string): string {
  return signValue(payload, secret);
}

/**
 * The payload of a token that one of `secrets` signed and that has not expired.
 * @param nowSeconds unix seconds
 * @throws AppError `invalid_token` when it is malformed or its signature is wrong, otherwise `token_expired` when it has expired
 */
export function verifyEmbedToken(
  token: string,
  secrets: readonly string[],
  nowSeconds: number,
): EmbedTokenPayload {
  const { data: payload } = payloadSchema.safeParse(readSignedValue(token, secrets));
  if (payload === undefined) throw invalidToken(token);
  if (nowSeconds >= payload.exp) throw tokenExpired();
  return payload;
}

export function tokenExpired(): AppError {
  return new AppError("token_expired", "The embed token has expired. Ask your backend for a new one.");
}

/**
 * The error says whether the token is malformed or its signature is wrong. That reveals nothing: anybody who has a token can see its
 * form.
 */
function invalidToken(token: string): AppError {
  const message =
    splitSignedValue(token) === null
      ? "The embed token is malformed. Send the parameter t of an issued URL, unchanged."
      : "The embed token is not valid: it was changed, or signed with another secret.";
  return new AppError("invalid_token", message);
}

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
    throw new AppError("scope_not_allowed", `This token is not for the service ${service.key}.`);
  }
  return grantOf(payload, service);
}

/** `readGrant` for a token that has been verified. @throws AppError `invalid_token` */
export function grantOf<Scope extends object>(
  payload: EmbedTokenPayload,
  service: Pick<EmbedService<Scope>, "scopeSchema">,
): Grant<Scope> {
  const scope = service.scopeSchema.safeParse(payload.scope);
  if (!scope.success) throw new AppError("invalid_token", "The embed token is not valid.");
  const { cid: clientId, companyId, visitor, iat: issuedAt, exp: expiresAt } = payload;
  const origins = normalizeOrigins(payload.origins);
  return { scope: scope.data, companyId, clientId, visitor, origins, issuedAt, expiresAt };
}
