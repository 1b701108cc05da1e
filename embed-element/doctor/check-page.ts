import { createHash } from "node:crypto";
import { checkTag } from "./check-tag";
import { blockedBy, type Policy, readPolicies } from "./policy";
import { type PageTags, readPage } from "./read-page";
import { ok, toFindings, type Verdict, warning, wrong } from "./report";
import { headerOf, type Received, send } from "./send";

export interface Page {
  url: URL;
  tags: PageTags;
  policies: Policy[];
  /** its Cross-Origin-Embedder-Policy, where browsers know its value */
  embedderPolicy: string;
}

export function describePage(received: Received): Page {
  const tags = readPage(received.text);
  const policies = [headerOf(received, "content-security-policy"), ...tags.policies].flatMap(readPolicies);
  const [policy = ""] = headerOf(received, "cross-origin-embedder-policy").split(";");
  const embedderPolicy = ["require-corp", "credentialless"].find((one) => one === policy.trim()) ?? "";
  return { url: received.url, tags, policies, embedderPolicy };
}

/** What a page's response says before anybody asks for a token. */
export function checkPage(page: Page, received: Received): Verdict[] {
  const { status, url } = received;
  if (status !== 200) {
    const remedy =
      status === 401 || status === 403
        ? `It needs a session: add --header "Cookie: …", as your browser sends it.`
        : "Name the page that embeds, as it is in the browser's address bar.";
    return [wrong(`${url.origin}${url.pathname} answers with status ${status}.`, remedy)];
  }
  return [
    ok(`The page is at ${url.origin}.`),
    ...toFindings("page.tag", checkTag(page.tags)),
    ...toFindings("page.referrer", checkReferrer(page, received)),
  ];
}

/** The tag's frame has a Referrer-Policy of its own; a frame that was made by hand has the page's. */
function checkReferrer({ tags }: Page, received: Received): Verdict {
  const value = tags.referrer || headerOf(received, "referrer-policy");
  const policy = value.split(",").at(-1)?.trim().toLowerCase() ?? "";
  if (!["no-referrer", "same-origin"].includes(policy))
    return ok(`The page's Referrer-Policy (${policy || "none"}) lets the platform see its origin.`);
  if (tags.embed)
    return ok(`The page's Referrer-Policy is ${policy}; the tag's frame has its own, strict-origin.`);
  return warning(
    `The page's Referrer-Policy is ${policy}: a frame that is made by hand would not send its origin.`,
    'Use <platform-embed>, or give the iframe referrerpolicy="strict-origin".',
  );
}

/** Whether the page's policies let it load the frame, and the element's script and requests. */
export function checkPolicies({ url: page, policies, tags }: Page, frame: URL, endpoint: URL): Verdict[] {
  const script = tags.script && new URL(tags.script.get("src") ?? "", page);
  const findings = policies.flatMap((policy): Verdict[] => {
    const problem = (judge: typeof wrong, directive: string, value: string, remedy: string): Verdict => ({
      ...judge(`The page's Content-Security-Policy has "${value}".`, remedy),
      check: `page.${directive}`,
    });
    const found: Verdict[] = [];
    const frames = blockedBy(policy, "frame-src", frame, page);
    if (frames) found.push(problem(wrong, "frame-src", frames, `Add ${frame.origin} to frame-src.`));
    const scripts =
      script && !hasNonce(policy, tags.script) ? blockedBy(policy, "script-src", script, page) : null;
    if (script && scripts)
      found.push(problem(wrong, "script-src", scripts, `Add ${script.origin} to script-src.`));
    const requests = blockedBy(policy, "connect-src", endpoint, page);
    const source = endpoint.origin === page.origin ? "'self'" : endpoint.origin;
    const called = `Add ${source} to connect-src: the tag calls ${endpoint.origin}${endpoint.pathname}.`;
    if (requests) found.push(problem(wrong, "connect-src", requests, called));
    const platform = blockedBy(policy, "connect-src", new URL("/healthz", frame), page);
    const languages = `Add ${frame.origin} to connect-src: the tag loads other languages from there, and asks why a frame does not load.`;
    if (platform && !requests) found.push(problem(warning, "connect-src", platform, languages));
    const sandbox = policy.get("sandbox");
    if (sandbox && !(sandbox.includes("allow-scripts") && sandbox.includes("allow-same-origin"))) {
      const remedy =
        "Add allow-scripts and allow-same-origin, or the page has no origin that the platform could allow.";
      found.push(problem(wrong, "sandbox", `sandbox ${sandbox.join(" ")}`, remedy));
    }
    return found;
  });
  if (findings.length > 0) return findings;
  return [
    ok(
      policies.length === 0
        ? "The page has no Content-Security-Policy."
        : "The page's Content-Security-Policy allows the frame.",
    ),
  ];
}

/** Whether the script tag has a nonce of the policy. */
function hasNonce(policy: Policy, script: PageTags["script"]): boolean {
  const sources =
    policy.get("script-src-elem") ?? policy.get("script-src") ?? policy.get("default-src") ?? [];
  const nonce = script?.get("nonce");
  return Boolean(nonce) && sources.includes(`'nonce-${nonce}'`);
}

/**
 * Whether the script of the page's HTML is served, has the hash of its `integrity`, and can be loaded under the page's embedder policy.
 * @param isBundled whether a script of the page's own is known to make the tag work
 */
export async function checkScript(page: Page, isBundled: boolean, signal: AbortSignal): Promise<Verdict[]> {
  const { script, embed } = page.tags;
  if (script) return [await judgeScript(page, script, signal)];
  if (!embed) return [];
  const message = "The page's HTML names no platform-embed.js";
  if (isBundled) return [ok(`${message}: your bundle defines the tag.`)];
  return [
    warning(
      `${message}.`,
      'That is right if your bundle defines the tag. Open the page and type customElements.get("platform-embed") in the ' +
        "console: it must not be undefined. Otherwise add the script tag.",
    ),
  ];
}

async function judgeScript(
  { url: page, embedderPolicy }: Page,
  script: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Verdict> {
  const url = new URL(script.get("src") ?? "", page);
  const address = `${url.origin}${url.pathname}`;
  const response = await send(url, { signal, headers: { Origin: page.origin } });
  if (response.status !== 200 || !headerOf(response, "content-type").includes("javascript")) {
    const versions = /There is no version[^"]*/.exec(response.text)?.[0] ?? "";
    const remedy = `Name a script that exists. ${versions}`.trim();
    return wrong(`${address} answers with status ${response.status}.`, remedy);
  }
  const isForeign = url.origin !== page.origin;
  const integrity = script.get("integrity") ?? "";
  const hash = hashOf(integrity, response.text);
  if (hash && !integrity.split(/\s+/).includes(hash))
    return wrong(`The script's integrity is not that of ${address}.`, `Write integrity="${hash}".`);
  const hasCors = script.has("crossorigin");
  if (integrity && isForeign && !hasCors)
    return wrong("The script has integrity and no crossorigin.", "Add crossorigin to the script tag.");
  if (hasCors && isForeign && !headerOf(response, "access-control-allow-origin"))
    return wrong(`${address} has no Access-Control-Allow-Origin.`, "Remove crossorigin, or add the header.");
  const isLoaded = hasCors || headerOf(response, "cross-origin-resource-policy") === "cross-origin";
  if (embedderPolicy === "require-corp" && isForeign && !isLoaded)
    return wrong(
      `The page's Cross-Origin-Embedder-Policy is require-corp, and ${address} has no Cross-Origin-Resource-Policy.`,
      "Add crossorigin to the script tag.",
    );
  return ok(`${address} is served.`);
}

/** The hash of `text` by the strongest algorithm in `integrity`, as it should be there; null where there is none. */
function hashOf(integrity: string, text: string): string | null {
  const algorithm = ["sha512", "sha384", "sha256"].find((name) => integrity.includes(`${name}-`));
  return algorithm ? `${algorithm}-${createHash(algorithm).update(text).digest("base64")}` : null;
}
