import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { AppError } from "../app-error";

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

/** Longer than any token that fits a URL: what is longer is not ours. */
const MAX_TOKEN_LENGTH = 32_768;
const MAC_BYTES = 32;

export function signEmbedToken(payload: EmbedTokenPayload, secret: string): string {
  const bytes = Buffer.from(JSON.stringify(payload));
  return `${bytes.toString("base64url")}.${mac(bytes, secret).toString("base64url")}`;
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
  const payload = readSigned(token, secrets);
  if (payload === null) throw new AppError("invalid_token", "The embed token is not valid.");
  if (nowSeconds >= payload.exp) {
    throw new AppError("token_expired", "The embed token has expired. Ask your backend for a new one.");
  }
  return payload;
}

function readSigned(token: string, secrets: readonly string[]): EmbedTokenPayload | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const parts = token.split(".");
  if (parts.length !== 2) return null;
  const [bytes, given] = parts.map(decodeBase64Url);
  if (!bytes || !given || given.length !== MAC_BYTES) return null;
  // Every secret is tried, so that the time taken does not tell which one fits.
  const fits = secrets.map((secret) => timingSafeEqual(mac(bytes, secret), given));
  if (!fits.includes(true)) return null;
  try {
    return payloadSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    return null;
  }
}

/** The bytes of `text`, or null unless it is their one canonical base64url form: a token has a single spelling. */
function decodeBase64Url(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
}

function mac(bytes: Buffer, secret: string): Buffer {
  return createHmac("sha256", secret).update(bytes).digest();
}
