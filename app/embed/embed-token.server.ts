import { z } from "zod";
import { AppError } from "../app-error";
import { readSignedValue, signValue } from "./signed-value.server";

/**
 * Embed tokens: `base64url(payload) + "." + base64url(HMAC-SHA-256(payload, secret))`, the MAC over the payload's JSON bytes
 * exactly as they are encoded in the first part, no padding. docs/contract.md#embed-tokens
 */

const payloadSchema = z.object({
  /** id of the embed client */
  cid: z.string(),
  companyId: z.string(),
  /** service key, such as `files` */
  svc: z.string(),
  /** what the token reaches; its shape is the service's */
  scope: z.record(z.string(), z.unknown()),
  /** origins that may embed */
  origins: z.array(z.string()),
  /** issued at, unix seconds */
  iat: z.int(),
  /** expires at, unix seconds; from this second on the token is refused */
  exp: z.int(),
});

export type EmbedTokenPayload = z.infer<typeof payloadSchema>;

export function signEmbedToken(payload: EmbedTokenPayload, secret: string): string {
  return signValue(payload, secret);
}

/**
 * The payload of a token that one of `secrets` signed and that has not expired.
 * @param nowSeconds unix seconds
 * @throws AppError `invalid_token` when it is malformed or the signature is wrong, `token_expired` when only its time is over
 */
export function verifyEmbedToken(
  token: string,
  secrets: readonly string[],
  nowSeconds: number,
): EmbedTokenPayload {
  const { data: payload } = payloadSchema.safeParse(readSignedValue(token, secrets));
  if (payload === undefined) throw new AppError("invalid_token", "The embed token is not valid.");
  if (nowSeconds >= payload.exp) {
    throw new AppError("token_expired", "The embed token has expired. Ask your backend for a new one.");
  }
  return payload;
}
