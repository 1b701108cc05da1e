import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { decodeBase64Url } from "./signed-value.server";

/** Encrypted text: `base64url(version, nonce, AES-256-GCM of the text, tag)`. */
const VERSION = 1;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param purpose separates values for different uses, by a key derived from it */
export function sealValue(text: string, secret: string, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, deriveKey(secret, purpose), nonce).setAAD(Buffer.of(VERSION));
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, encrypted, cipher.getAuthTag()]).toString("base64url");
}

/** The text, if one of `secrets` sealed it for `purpose`; otherwise null. */
export function openSealedValue(sealed: string, secrets: readonly string[], purpose: string): string | null {
  const bytes = decodeBase64Url(sealed);
  if (bytes === null || bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
  for (const secret of secrets) {
    const text = decrypt(bytes, deriveKey(secret, purpose));
    if (text !== null) return text;
  }
  return null;
}

function decrypt(bytes: Buffer, key: Buffer): string | null {
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bytes.subarray(0, 1)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const encrypted = bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString();
  } catch {
    return null;
  }
}

/** A key that is used for nothing else. RFC 5869. */
const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `platform-embed ${purpose}`, 32));
