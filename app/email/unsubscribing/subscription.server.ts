import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { decodeBase64Url } from "../../embed/signed-value.server";
import type { Database } from "../../providers/database.server";
import { addSuppressions, removeSuppressions } from "../suppressions.server";

/** One recipient's subscription to the campaigns of one site. */
export interface Subscription {
  /** in lower case */
  address: string;
  /** as `siteOf` returns it */
  site: string;
  /** shown on the page; a long name is shortened */
  siteName: string;
  /** BCP 47, the language of the campaign; null: the browser's languages decide */
  locale: string | null;
}

/**
 * The site that a campaign belongs to. Recipients unsubscribe from one site at a time. It is the host of `siteUrl`
 * without `www.`, because a site's name may be spelled differently from one campaign to the next; without a `siteUrl`
 * it is the name.
 */
export function siteOf({ siteUrl, siteName }: { siteUrl?: string | undefined; siteName: string }): string {
  return siteUrl === undefined
    ? siteName.toLowerCase()
    : new URL(siteUrl).hostname.replace(/^www\.(?=.)/, "");
}

const reason = "unsubscribe";

export async function isUnsubscribed(database: Database, { address, site }: Subscription): Promise<boolean> {
  const where = { address_site_reason: { address, site, reason } };
  return (await database.emailSuppression.findUnique({ where })) !== null;
}

/** Can be repeated, also concurrently. */
export async function unsubscribe(database: Database, { address, site }: Subscription): Promise<void> {
  await addSuppressions(database, [address], { site, reason });
}

/** Undoes `unsubscribe`; a bounce or a complaint stays recorded. */
export async function subscribeAgain(database: Database, { address, site }: Subscription): Promise<void> {
  await removeSuppressions(database, address, { site, reason });
}

/**
 * The token of an unsubscribe link is `base64url(version, nonce, AES-256-GCM of the subscription as JSON, tag)`. It is encrypted so that
 * nobody can read an address in a link, and it never expires, because an e-mail may be opened years later. docs/decisions/0091
 */
const VERSION = 1;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The link is the value of a header, which has at most 870 characters. */
const MAX_TOKEN_LENGTH = 870;
/** of the site's name in UTF-8, to keep the link short */
const MAX_NAME_BYTES = 60;

const tokenSchema = z.tuple([z.string(), z.string(), z.string(), z.string().nullable()]);

/** @returns the token for a link */
export function sealSubscription({ address, site, siteName, locale }: Subscription, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, deriveKey(secret), nonce).setAAD(Buffer.of(VERSION));
  const text = JSON.stringify([address, site, shorten(siteName), locale]);
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, encrypted, cipher.getAuthTag()]).toString("base64url");
}

/** @returns null unless `sealSubscription` made the token with one of `secrets` */
export function openSubscription(token: string, secrets: readonly string[]): Subscription | null {
  const bytes = token.length > MAX_TOKEN_LENGTH ? null : decodeBase64Url(token);
  if (bytes === null || bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
  for (const secret of secrets) {
    const text = decrypt(bytes, deriveKey(secret));
    if (text === null) continue;
    const [address, site, siteName, locale] = tokenSchema.parse(JSON.parse(text));
    return { address, site, siteName, locale };
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
function deriveKey(secret: string): Buffer {
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
