import { createHmac, timingSafeEqual } from "node:crypto";
import { decodeBase64Url } from "../base64url";

/**
 * JSON that only we can have written: `base64url(JSON) + "." + base64url(HMAC-SHA-256(JSON, key))`, both without padding. The MAC is over
 * the bytes exactly as they are encoded in the first part. docs/contract.md#embed-tokens
 */

/** Longer than anything that we sign but for the cursors of changes: what is longer is not ours. */
const MAX_LENGTH = 32_768;
const MAC_BYTES = 32;

/** @param purpose keeps apart what is signed for different uses; an embed token has none, and its key is the secret itself */
export function signValue(value: object, secret: string, purpose = ""): string {
  const bytes = Buffer.from(JSON.stringify(value));
  return `${bytes.toString("base64url")}.${mac(bytes, secret, purpose).toString("base64url")}`;
}

/** What one of `secrets` signed for `purpose`, or null: it is malformed, has another spelling, or somebody else's signature. */
export function readSignedValue(
  text: string,
  secrets: readonly string[],
  purpose = "",
  maxLength = MAX_LENGTH,
): unknown {
  if (text.length > maxLength) return null;
  const parts = text.split(".");
  if (parts.length !== 2) return null;
  const [bytes, given] = parts.map(decodeBase64Url);
  if (!bytes || !given || given.length !== MAC_BYTES) return null;
  // Every secret is tried, so that the time taken does not tell which one fits.
  const fits = secrets.map((secret) => timingSafeEqual(mac(bytes, secret, purpose), given));
  if (!fits.includes(true)) return null;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

function mac(bytes: Buffer, secret: string, purpose: string): Buffer {
  const key = purpose === "" ? secret : createHmac("sha256", secret).update(purpose).digest();
  return createHmac("sha256", key).update(bytes).digest();
}
