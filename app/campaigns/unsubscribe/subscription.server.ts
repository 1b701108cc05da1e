import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { decodeBase64Url } from "../../base64url";

/** Who may unsubscribe from what: all that the page behind a link knows. */
export interface Subscription {
  /** in lower case */
  address: string;
  /** whose campaigns they are: `siteOf` a job */
  site: string;
  /** as the page calls it; a long one is cut */
  siteName: string;
  /** BCP 47, of the campaign; null: the browser's own decides */
  locale: string | null;
}

/**
 * A subscription as a token of a link: `base64url(version, nonce, AES-256-GCM of its JSON, tag)`. Sealed rather than signed, so that nobody reads an
 * address in a link, and it never ends: an e-mail may be opened years later. docs/decisions/0092
 */
const VERSION = 1;
const CIPHER = "aes-256-gcm";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];
/** characters; a header that the link stands in has at most 870 */
const MAX_TOKEN = 870;
/** bytes of a name in UTF-8, so that the link stays short */
const MAX_NAME_BYTES = 60;

const sealedSchema = z.tuple([z.string(), z.string(), z.string(), z.string().nullable()]);

/** @param secret the first of those that open it */
export function sealSubscription({ address, site, siteName, locale }: Subscription, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret), nonce).setAAD(Buffer.of(VERSION));
  const text = JSON.stringify([address, site, shorten(siteName), locale]);
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, sealed, cipher.getAuthTag()]).toString("base64url");
}

/** What one of `secrets` sealed; null for anything else. */
export function openSubscription(token: string, secrets: readonly string[]): Subscription | null {
  const bytes = token.length > MAX_TOKEN ? null : decodeBase64Url(token);
  if (bytes === null || bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
  for (const secret of secrets) {
    const text = decrypt(bytes, keyOf(secret));
    if (text === null) continue;
    const [address, site, siteName, locale] = sealedSchema.parse(JSON.parse(text));
    return { address, site, siteName, locale };
  }
  return null;
}

function decrypt(bytes: Buffer, key: Buffer): string | null {
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bytes.subarray(0, 1)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const sealed = bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
  } catch {
    return null;
  }
}

/** A key for this use alone. RFC 5869. */
function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "platform-embed unsubscribe", 32));
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  let short = "";
  for (const character of name) {
    if (Buffer.byteLength(short + character) > MAX_NAME_BYTES - Buffer.byteLength("…")) break;
    short += character;
  }
  return `${short.trimEnd()}…`;
}
