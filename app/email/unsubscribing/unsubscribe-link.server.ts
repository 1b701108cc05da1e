import { invalidRequest } from "../../shared/app-error";
import { sealSubscription, siteOf } from "./subscription.server";

/** SES accepts header values of at most this many characters. */
const MAX_HEADER_VALUE_LENGTH = 870;

const SITE_URL = "{siteUrl}";

/** the unsubscribe page, under `PLATFORM_BASE_URL` */
export const UNSUBSCRIBE_PATH = "/api/email/unsubscribe";

/** Settings of the unsubscribe page of this service. */
interface HostedUnsubscribe {
  /** an origin that browsers reach */
  baseUrl: string;
  /** the first one encrypts new tokens, all of them decrypt */
  secrets: readonly [string, ...string[]];
}

/** Where links to unsubscribe lead. */
export interface Unsubscribing {
  /** URL of the integrator's page, with `{siteUrl}` and `{token}` */
  template: string;
  /** the page of this service, for recipients without a token from the integrator; undefined if they get no link */
  hosted?: HostedUnsubscribe | undefined;
}

/** The members of a campaign job that a link is made of; errors name them. */
interface UnsubscribableEmail {
  recipient: { email: string; unsubscribeToken?: string | undefined };
  branding: { siteName: string; siteUrl?: string | undefined };
  locale?: string | null | undefined;
}

/**
 * The link that unsubscribes the recipient of an e-mail: to the integrator's page if there is a token for it, else to the page of this
 * service. Null if there is neither.
 * @param sentEventId of the event `email.sent`
 * @throws AppError `invalid_request` if there is a token and no valid link can be made with it
 */
export function unsubscribeLink(
  email: UnsubscribableEmail,
  { template, hosted }: Unsubscribing,
  sentEventId: string,
): string | null {
  const { unsubscribeToken } = email.recipient;
  const link = unsubscribeToken
    ? linkToIntegrator(email.branding.siteUrl, template, unsubscribeToken)
    : hosted && linkToHostedPage(email, hosted, sentEventId);
  if (link === undefined) return null;
  if (link.length + "<>".length <= MAX_HEADER_VALUE_LENGTH) return link;
  const path = unsubscribeToken ? "recipient.unsubscribeToken" : "recipient.email";
  throw invalidRequest([{ path, message: "makes the unsubscribe link too long for a header" }]);
}

function linkToHostedPage(
  { recipient, branding, locale = null }: UnsubscribableEmail,
  { baseUrl, secrets }: HostedUnsubscribe,
  sentEventId: string,
): string {
  const address = recipient.email.toLowerCase();
  const subscription = { address, site: siteOf(branding), siteName: branding.siteName, locale };
  return `${baseUrl}${UNSUBSCRIBE_PATH}?event=${sentEventId}&token=${sealSubscription(subscription, secrets[0])}`;
}

function linkToIntegrator(siteUrl: string | undefined, template: string, token: string): string {
  if (template.includes(SITE_URL) && siteUrl === undefined) {
    throw invalidRequest([{ path: "branding.siteUrl", message: "is needed for the unsubscribe link" }]);
  }
  const link = fillTemplate(template, siteUrl ?? "", token);
  if (link === null)
    throw invalidRequest([{ path: "branding.siteUrl", message: "does not give an unsubscribe link" }]);
  return link;
}

/** RFC 2369 allows any URL in `List-Unsubscribe`; one-click unsubscribing (RFC 8058) needs https. */
export function unsubscribeHeaders(link: string): { name: string; value: string }[] {
  const list = { name: "List-Unsubscribe", value: `<${link}>` };
  return link.startsWith("https:")
    ? [list, { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" }]
    : [list];
}

/**
 * If a template begins with `{siteUrl}`, the rest of it is appended to that URL. Elsewhere `{siteUrl}` and `{token}`
 * are encoded as values.
 */
function fillTemplate(template: string, siteUrl: string, token: string): string | null {
  const isBelowSite = template.startsWith(SITE_URL);
  const filled = (isBelowSite ? template.slice(SITE_URL.length) : template)
    .replaceAll(SITE_URL, () => encodeURIComponent(siteUrl.replace(/\/+$/, "")))
    .replaceAll("{token}", () => encodeURIComponent(token));
  const link = isBelowSite ? appendToSite(siteUrl, filled) : filled;
  return URL.canParse(link) ? new URL(link).href : null;
}

/**
 * Appends `rest`, which may have a path, a query and a fragment, to a site's URL. The paths are joined. The queries are merged; for a
 * parameter in both, the one in `rest` wins. The site's own fragment is removed.
 */
function appendToSite(siteUrl: string, rest: string): string {
  const site = new URL(siteUrl);
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(rest) ?? [];
  const own = parametersOf(query);
  const names = new Set(own.map(nameOf));
  const parameters = [...parametersOf(site.search.slice(1)).filter((one) => !names.has(nameOf(one))), ...own];
  const separator = path === "" || path.startsWith("/") ? "" : "/";
  site.pathname = site.pathname.replace(/\/+$/, "") + separator + path;
  site.search = parameters.join("&");
  site.hash = fragment;
  return site.href;
}

/** Parameters as they are written: URLSearchParams would encode them again, and a site may depend on its own encoding. */
const parametersOf = (query: string) => query.split("&").filter((parameter) => parameter !== "");
const nameOf = (parameter: string) => [...new URLSearchParams(parameter).keys()][0];
