import { z } from "zod";
import { openSealedValue, sealValue } from "../../embed/sealed-value.server";
import type { Events } from "../../events/events.server";
import { findSentEmail } from "../../events/find-email.server";
import type { Database } from "../../providers/database.server";
import type { RequestContext } from "../../shared/request-context.server";
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
 * it is the name. Each is brought into one spelling.
 */
export function siteOf({ siteUrl, siteName }: { siteUrl?: string | undefined; siteName: string }): string {
  return siteUrl === undefined
    ? siteName.normalize("NFC").toLowerCase()
    : new URL(siteUrl).hostname.replace(/^www\.(?=.)/, "").replace(/\.$/, "");
}

const reason = "unsubscribe";

export async function isUnsubscribed(database: Database, { address, site }: Subscription): Promise<boolean> {
  const where = { address_site_reason: { address, site, reason } };
  return (await database.emailSuppression.findUnique({ where })) !== null;
}

/**
 * Unsubscribes, and records that the first time. Can be repeated, also concurrently.
 * @param sentEventId of the e-mail with the link. Anybody can write it into a link, so it must belong to the address.
 */
export async function unsubscribe(
  { address, site }: Subscription,
  sentEventId: string | undefined,
  { database, events, context }: { database: Database; events: Events; context: RequestContext },
): Promise<void> {
  const found = sentEventId === undefined ? undefined : await findSentEmail(database, sentEventId);
  const sent = found?.recipient === address ? found : undefined;
  if ((await addSuppressions(database, [address], { site, reason })) === 0) return;
  await events.record({
    type: "email.unsubscribed",
    companyId: sent?.companyId ?? null,
    campaignId: sent?.campaignId ?? null,
    recipient: address,
    requestId: context.requestId,
    data: { site },
  });
}

/** Undoes `unsubscribe`; a bounce or a complaint stays recorded. */
export async function subscribeAgain(database: Database, { address, site }: Subscription): Promise<void> {
  await removeSuppressions(database, address, { site, reason });
}

/**
 * The token of an unsubscribe link is encrypted so that nobody can read an address in a link, and it never expires, because an e-mail may
 * be opened years later. docs/decisions/0091
 */
const PURPOSE = "unsubscribe";
/** The link is the value of a header, which has at most 870 characters. */
const MAX_TOKEN_LENGTH = 870;
/** of the site's name in UTF-8, to keep the link short */
const MAX_NAME_BYTES = 60;

const tokenSchema = z.tuple([z.string(), z.string(), z.string(), z.string().nullable()]);

/** @returns the token for a link */
export function sealSubscription({ address, site, siteName, locale }: Subscription, secret: string): string {
  return sealValue(JSON.stringify([address, site, nameForLink(siteName), locale]), secret, PURPOSE);
}

/** @returns null unless `sealSubscription` made the token with one of `secrets` */
export function openSubscription(token: string, secrets: readonly string[]): Subscription | null {
  const text = token.length > MAX_TOKEN_LENGTH ? null : openSealedValue(token, secrets, PURPOSE);
  if (text === null) return null;
  const [address, site, siteName, locale] = tokenSchema.parse(JSON.parse(text));
  return { address, site, siteName, locale };
}

function nameForLink(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  let short = "";
  for (const character of name) {
    if (Buffer.byteLength(short + character) > MAX_NAME_BYTES - Buffer.byteLength("…")) break;
    short += character;
  }
  return `${short.trimEnd()}…`;
}
