import { invalidRequest } from "../app-error";
import { type CampaignJob, keyOf } from "./campaign-job.server";
import { siteOf } from "./campaign-site.server";
import { sealSubscription } from "./unsubscribe/subscription.server";

/** SES takes header values of at most this many characters. */
const MAX_HEADER_VALUE = 870;

const SITE_URL = "{siteUrl}";

/** of the page that unsubscribes, under the platform's base URL */
export const UNSUBSCRIBE_PATH = "/api/email/unsubscribe";

/** What it takes to unsubscribe here those who have no token of the integrator's. */
export interface HostedUnsubscribe {
  /** an origin that browsers reach */
  baseUrl: string;
  /** the first seals, all open */
  secrets: readonly [string, ...string[]];
}

/**
 * Where the recipient of a job unsubscribes: at the integrator's address where there is a token for it, else at ours; null without either.
 * @param template of the integrator's address, with `{siteUrl}` and `{token}`
 * @throws AppError `invalid_request` when there is a token and no link can be made of it
 */
export function unsubscribeLink(
  job: CampaignJob,
  template: string,
  hosted?: HostedUnsubscribe,
): string | null {
  const { unsubscribeToken } = job.recipient;
  const link = unsubscribeToken
    ? linkToSite(job, template, unsubscribeToken)
    : hosted === undefined
      ? null
      : linkToUs(job, hosted);
  if (link === null || link.length + "<>".length <= MAX_HEADER_VALUE) return link;
  const path = unsubscribeToken ? "recipient.unsubscribeToken" : "recipient.email";
  throw invalidRequest([{ path, message: "makes the unsubscribe link too long for a header" }]);
}

function linkToUs(job: CampaignJob, { baseUrl, secrets }: HostedUnsubscribe): string {
  const { branding, locale = null } = job;
  const { recipient: address } = keyOf(job);
  const subscription = { address, site: siteOf(branding), siteName: branding.siteName, locale };
  return `${baseUrl}${UNSUBSCRIBE_PATH}?token=${sealSubscription(subscription, secrets[0])}`;
}

function linkToSite({ branding: { siteUrl } }: CampaignJob, template: string, token: string): string {
  if (template.includes(SITE_URL) && siteUrl === undefined) {
    throw invalidRequest([{ path: "branding.siteUrl", message: "is needed for the unsubscribe link" }]);
  }
  const link = fillTemplate(template, siteUrl ?? "", token);
  if (link === null)
    throw invalidRequest([{ path: "branding.siteUrl", message: "does not give an unsubscribe link" }]);
  return link;
}

/** RFC 8058: one click needs https. RFC 2369 allows any address in the list. */
export function unsubscribeHeaders(link: string): { name: string; value: string }[] {
  const list = { name: "List-Unsubscribe", value: `<${link}>` };
  return link.startsWith("https:")
    ? [list, { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" }]
    : [list];
}

/** A template that begins with `{siteUrl}` goes on from that address; anywhere else both are values, and encoded. */
function fillTemplate(template: string, siteUrl: string, token: string): string | null {
  const isBelowSite = template.startsWith(SITE_URL);
  const filled = (isBelowSite ? template.slice(SITE_URL.length) : template)
    .replaceAll(SITE_URL, () => encodeURIComponent(siteUrl.replace(/\/+$/, "")))
    .replaceAll("{token}", () => encodeURIComponent(token));
  const link = isBelowSite ? belowSite(siteUrl, filled) : filled;
  return URL.canParse(link) ? new URL(link).href : null;
}

/**
 * `rest`, which may have a path, a query and a fragment, below a site's address: its path is added to the site's, its query to
 * the site's, where it counts before a parameter of the same name, and the site's fragment is left out.
 */
function belowSite(siteUrl: string, rest: string): string {
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

/** As they are written: a site may read its own encoding, and another one of it would not be the same. */
const parametersOf = (query: string) => query.split("&").filter((parameter) => parameter !== "");
const nameOf = (parameter: string) => [...new URLSearchParams(parameter).keys()][0];
