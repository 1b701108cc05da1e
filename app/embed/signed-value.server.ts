import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Signed JSON: `base64url(JSON) + "." + base64url(HMAC-SHA-256(JSON, key))`, both without padding. The MAC is computed
 * over the bytes as they are encoded before the dot. docs/contract.md#embed-tokens
 */

/** characters; longer values are refused; cursors of searches pass their own limit */
const MAX_LENGTH = 32_768;
const MAC_BYTES = 32;

/** @param purpose separates values for different uses, by a key derived from it; embed tokens have none and use the secret itself */
export function signValue(value: object, secret: string, purpose = ""): string {
  const bytes = Buffer.from(JSON.stringify(value));
  return `${bytes.toString("base64url")}.${mac(bytes, secret, purpose).toString("base64url")}`;
}

/** The value, if one of `secrets` signed it for `purpose`; otherwise null. A non-canonical encoding of the same bytes is refused, too. */
export function readSignedValue(
  text: string,
  secrets: readonly string[],
  purpose = "",
  maxLength = MAX_LENGTH,
): unknown {
  const parts = splitSignedValue(text, maxLength);
  if (parts === null) return null;
  const { bytes, givenMac } = parts;
  // All secrets are tried, so that the time taken does not tell which one matches.
  const matches = secrets.map((secret) => timingSafeEqual(mac(bytes, secret, purpose), givenMac));
  if (!matches.includes(true)) return null;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

/** The JSON's bytes and the MAC that a signed value has, whoever signed it; null if it does not have the form of one. */
export function splitSignedValue(
  text: string,
  maxLength = MAX_LENGTH,
): { bytes: Buffer; givenMac: Buffer } | null {
  if (text.length > maxLength) return null;
  const segments = text.split(".");
  if (segments.length !== 2) return null;
  const [bytes, givenMac] = segments.map(decodeBase64Url);
  return bytes?.length && givenMac?.length === MAC_BYTES ? { bytes, givenMac } : null;
}

function mac(bytes: Buffer, secret: string, purpose: string): Buffer {
  const key = purpose === "" ? secret : createHmac("sha256", secret).update(purpose).digest();
  return createHmac("sha256", key).update(bytes).digest();
}

/** The bytes of `text`, or null unless it is canonical base64url. So a signed or sealed value has exactly one spelling. */
export function decodeBase64Url(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
}
