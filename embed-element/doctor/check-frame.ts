import type { Page } from "./check-page";
import { type Finding, ok, warning, wrong } from "./finding";
import { blockedBy, readPolicies } from "./policy";
import { headerOf, type Received } from "./send";

/** What to change for each code of a page that the platform shows instead of the service. docs/contract.md#rendering */
const REMEDIES: Record<string, string> = {
  token_missing: "Pass the URL on whole, with its t parameter.",
  invalid_token:
    "Pass the URL on unchanged; and the platform has to sign and verify with one EMBED_SIGNING_SECRET.",
  token_expired: "Ask the platform for a new URL each time.",
  service_mismatch: "The address has to be that of the service that the URL was issued for.",
  referrer_missing:
    "Something takes the Referer header away on its way to the platform: a proxy, or an extension.",
  origin_not_allowed: "Have the page's origin added to the API key's allowed origins.",
  rate_limited: "Wait a minute, and run this again.",
};

/** As a browser asks for the frame on `page`. */
export const frameHeaders = (page: URL): Record<string, string> => ({
  Accept: "text/html",
  Referer: `${page.origin}/`,
  "Sec-CH-UA": '"Chromium";v="131"',
  "Sec-Fetch-Dest": "iframe",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Site": "cross-site",
});

export function checkFrame(response: Received, page: Page): Finding[] {
  const { status, url, text } = response;
  const where = `${url.origin}${url.pathname}`;
  if (status >= 300 && status < 400)
    return [
      wrong(
        "frame.status",
        `${where} redirects (status ${status}).`,
        "Tell whoever operates the platform: nothing may redirect the frame.",
      ),
    ];
  const code = /<code>([a-z_]+)<\/code>/.exec(text)?.[1] ?? "";
  if (status !== 200) {
    const remedy = REMEDIES[code] ?? "Tell whoever operates the platform; its log has the request.";
    const request = headerOf(response, "x-request-id");
    return [
      wrong(
        "frame.status",
        `${where} answers with status ${status}${code ? ` and ${code}` : ""}${request ? ` (request ${request})` : ""}.`,
        remedy,
      ),
    ];
  }
  return [...checkFraming(response, page), ...checkIsolation(response, page)];
}

function checkFraming(response: Received, { url: page }: Page): Finding[] {
  const check = "frame.framing";
  const options = headerOf(response, "x-frame-options");
  const policies = readPolicies(headerOf(response, "content-security-policy"));
  const refusing = policies.find((policy) => {
    const sources = policy.get("frame-ancestors");
    return sources && blockedBy(new Map([["frame-src", sources]]), "frame-src", page, response.url) !== null;
  });
  if (refusing)
    return [
      wrong(
        check,
        `The frame's policy has "frame-ancestors ${refusing.get("frame-ancestors")?.join(" ")}", without ${page.origin}.`,
        "Add the origin to the API key; or a proxy has changed the header.",
      ),
    ];
  const isOverruled = policies.some((policy) => policy.has("frame-ancestors"));
  if (options && !isOverruled)
    return [
      wrong(
        check,
        `The frame has X-Frame-Options: ${options}.`,
        "A proxy in front of the platform adds it: take it away there.",
      ),
    ];
  return [ok(check, `The frame may be shown on ${page.origin}.`)];
}

function checkIsolation(response: Received, { embedderPolicy, url }: Page): Finding[] {
  if (!embedderPolicy) return [];
  const check = "page.embedder-policy";
  const lacking = [
    ["Cross-Origin-Resource-Policy", /^cross-origin$/],
    ["Cross-Origin-Embedder-Policy", /^(require-corp|credentialless)/],
  ].find(([name, value]) => !(value as RegExp).test(headerOf(response, String(name).toLowerCase())))?.[0];
  if (lacking && response.url.origin !== url.origin)
    return [
      wrong(
        check,
        `The page's Cross-Origin-Embedder-Policy is ${embedderPolicy}, and the frame's answer has no ${lacking} that fits.`,
        "Use a platform of this version; or a proxy in front of it takes the header away.",
      ),
    ];
  return [
    warning(
      check,
      `The page's Cross-Origin-Embedder-Policy is ${embedderPolicy}.`,
      "Chromium shows the frame; Firefox if the page also sends Cross-Origin-Opener-Policy: same-origin; Safari does not.",
    ),
  ];
}
