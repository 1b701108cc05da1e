import type { Page } from "./check-page";
import { blockedBy, readPolicies } from "./policy";
import { ok, toFindings, type Verdict, warning, wrong } from "./report";
import { headerOf, type Received } from "./send";

/** How to fix each code of the page that the platform shows instead of the service. docs/contract.md#rendering */
const REMEDIES: Record<string, string> = {
  token_missing: "Pass the whole URL on, with its t parameter.",
  invalid_token:
    "Pass the URL on unchanged; and the platform must sign and verify with the same EMBED_SIGNING_SECRET.",
  token_expired: "Ask the platform for a new URL each time.",
  token_revoked: "Ask for a new URL. If the API key was revoked, use another one.",
  service_mismatch: "Use the address of the service that the URL was issued for.",
  referrer_missing: "A proxy or an extension removes the Referer header on its way to the platform.",
  origin_not_allowed: "Have the page's origin added to the API key's allowed origins.",
  rate_limited: "Wait a minute, and run this again.",
};

/** The headers with which a browser asks for the frame on `page`. */
export const frameHeaders = (page: URL): Record<string, string> => ({
  Accept: "text/html",
  Referer: `${page.origin}/`,
  "Sec-CH-UA": '"Chromium";v="131"',
  "Sec-Fetch-Dest": "iframe",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Site": "cross-site",
});

export function checkFrame(response: Received, page: Page): Verdict[] {
  const { status, url, text } = response;
  const where = `${url.origin}${url.pathname}`;
  if (status >= 300 && status < 400) {
    const remedy = "Tell whoever operates the platform: nothing may redirect the frame.";
    return [wrong(`${where} redirects (status ${status}).`, remedy)];
  }
  if (status !== 200) {
    const code = /<code>([a-z_]+)<\/code>/.exec(text)?.[1] ?? "";
    const request = headerOf(response, "x-request-id");
    return [
      wrong(
        `${where} answers with status ${status}${code ? ` and ${code}` : ""}${request ? ` (request ${request})` : ""}.`,
        REMEDIES[code] ?? "Tell whoever operates the platform; its log has the request.",
      ),
    ];
  }
  return [
    ...toFindings("frame.framing", checkFraming(response, page)),
    ...toFindings("page.embedder-policy", checkIsolation(response, page)),
    ...toFindings("frame.content", checkContent(response)),
  ];
}

/** The frame's page is complete even if the store does not list the folder: it says so to the person. */
function checkContent({ url, text }: Received): Verdict[] {
  const problem = /<section[^<>]{0,2000} data-problem="([a-z_]+)"/.exec(text)?.[1];
  if (problem === undefined) return [];
  return [
    wrong(
      `The frame opens, but cannot show its content (${problem}).`,
      `Does the bucket exist, and may the platform read it? On the platform, "npm run doctor" says what is wrong with ${url.host}'s store and buckets.`,
    ),
  ];
}

function checkFraming(response: Received, { url: page }: Page): Verdict {
  const policies = readPolicies(headerOf(response, "content-security-policy"));
  const ancestors = policies.flatMap((policy) => policy.get("frame-ancestors")?.join(" ") ?? []);
  const refusing = ancestors.find(
    (sources) =>
      blockedBy(new Map([["frame-src", sources.split(" ")]]), "frame-src", page, response.url) !== null,
  );
  if (refusing !== undefined)
    return wrong(
      `The frame's policy has "frame-ancestors ${refusing}", without ${page.origin}.`,
      "Add the origin to the API key; if it is there, a proxy has changed the header.",
    );
  const options = headerOf(response, "x-frame-options");
  // Browsers ignore X-Frame-Options where there is a frame-ancestors.
  if (options && ancestors.length === 0)
    return wrong(
      `The frame has X-Frame-Options: ${options}.`,
      "A proxy in front of the platform adds the header: remove it there.",
    );
  return ok(`The frame may be shown on ${page.origin}.`);
}

function checkIsolation(response: Received, { embedderPolicy, url }: Page): Verdict[] {
  if (!embedderPolicy) return [];
  const required: [name: string, value: RegExp][] = [
    ["Cross-Origin-Resource-Policy", /^cross-origin$/],
    ["Cross-Origin-Embedder-Policy", /^(require-corp|credentialless)/],
  ];
  const missing = required.find(([name, value]) => !value.test(headerOf(response, name.toLowerCase())))?.[0];
  const message = `The page's Cross-Origin-Embedder-Policy is ${embedderPolicy}`;
  if (missing && response.url.origin !== url.origin)
    return [
      wrong(
        `${message}, and the frame's response has no ${missing} that allows it.`,
        "Use a platform of this version; if it is one, a proxy in front of it removes the header.",
      ),
    ];
  return [
    warning(
      `${message}.`,
      "Chromium shows the frame; Firefox does if the page also sends Cross-Origin-Opener-Policy: same-origin; Safari does not.",
    ),
  ];
}
