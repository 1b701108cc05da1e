import { createHash } from "node:crypto";
import { checkTag } from "./check-tag";
import { type Finding, ok, warning, wrong } from "./finding";
import { blockedBy, type Policy, readPolicies } from "./policy";
import { type PageTags, readPage } from "./read-page";
import { headerOf, type Received, send } from "./send";

export interface Page {
  url: URL;
  tags: PageTags;
  policies: Policy[];
  /** its Cross-Origin-Embedder-Policy, where it has one that browsers heed */
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
export function checkPage(page: Page, received: Received): Finding[] {
  const { status, url } = received;
  if (status === 401 || status === 403)
    return [
      wrong(
        "page.status",
        `${url.origin}${url.pathname} answers with status ${status}.`,
        `It wants a session: add --header "Cookie: …", as your browser sends it.`,
      ),
    ];
  if (status !== 200)
    return [
      wrong(
        "page.status",
        `${url.origin}${url.pathname} answers with status ${status}.`,
        "Name the page that embeds, as the browser's address bar has it.",
      ),
    ];
  return [
    ok("page.status", `The page is at ${url.origin}.`),
    ...checkTag(page.tags),
    ...checkReferrer(page, received),
  ];
}

/** The tag's frame has a policy of its own; one that was made by hand has the page's. */
function checkReferrer({ tags }: Page, received: Received): Finding[] {
  const policy =
    (tags.referrer || headerOf(received, "referrer-policy")).split(",").at(-1)?.trim().toLowerCase() ?? "";
  if (!["no-referrer", "same-origin"].includes(policy))
    return [
      ok(
        "page.referrer",
        `The page's Referrer-Policy (${policy || "none"}) lets the platform see its origin.`,
      ),
    ];
  if (tags.embed)
    return [
      ok(
        "page.referrer",
        `The page's Referrer-Policy is ${policy}; the tag's frame has its own, strict-origin.`,
      ),
    ];
  return [
    warning(
      "page.referrer",
      `The page's Referrer-Policy is ${policy}: a frame that is made by hand would not say where it is.`,
      'Use <platform-embed>, or give the iframe referrerpolicy="strict-origin".',
    ),
  ];
}

/** Whether the page may load the frame, and the element's script and requests. */
export function checkPolicies({ url: page, policies, tags }: Page, frame: URL, endpoint: URL): Finding[] {
  const findings: Finding[] = [];
  const script = tags.script && new URL(tags.script.get("src") ?? "", page);
  for (const policy of policies) {
    const frames = blockedBy(policy, "frame-src", frame, page);
    if (frames)
      findings.push(
        wrong(
          "page.frame-src",
          `The page's Content-Security-Policy has "${frames}".`,
          `Add ${frame.origin} to frame-src.`,
        ),
      );
    const scripts =
      script && !hasNonce(policy, tags.script) ? blockedBy(policy, "script-src", script, page) : null;
    if (script && scripts)
      findings.push(
        wrong(
          "page.script-src",
          `The page's Content-Security-Policy has "${scripts}".`,
          `Add ${script.origin} to script-src.`,
        ),
      );
    const requests = blockedBy(policy, "connect-src", endpoint, page);
    if (requests)
      findings.push(
        wrong(
          "page.connect-src",
          `The page's Content-Security-Policy has "${requests}".`,
          `Add ${endpoint.origin === page.origin ? "'self'" : endpoint.origin} to connect-src: the tag asks ${endpoint.origin}${endpoint.pathname}.`,
        ),
      );
    const platform = blockedBy(policy, "connect-src", new URL("/healthz", frame), page);
    if (platform && !requests)
      findings.push(
        warning(
          "page.connect-src",
          `The page's Content-Security-Policy has "${platform}".`,
          `Add ${frame.origin} to connect-src: for words in other languages, and to find out why a frame stays away.`,
        ),
      );
    const sandbox = policy.get("sandbox");
    if (sandbox && !(sandbox.includes("allow-scripts") && sandbox.includes("allow-same-origin")))
      findings.push(
        wrong(
          "page.sandbox",
          `The page's Content-Security-Policy has "sandbox ${sandbox.join(" ")}".`,
          "Add allow-scripts and allow-same-origin, or the page has no origin that the platform could allow.",
        ),
      );
  }
  if (findings.length > 0) return findings;
  const none =
    policies.length === 0
      ? "The page has no Content-Security-Policy."
      : "The page's policy allows the frame.";
  return [ok("page.frame-src", none)];
}

/** A nonce, or a trusted script that loads it: which one the browser takes cannot be seen from here. */
function hasNonce(policy: Policy, script: PageTags["script"]): boolean {
  const sources =
    policy.get("script-src-elem") ?? policy.get("script-src") ?? policy.get("default-src") ?? [];
  return Boolean(script?.get("nonce")) && sources.includes(`'nonce-${script?.get("nonce")}'`);
}

/** The script that the page's HTML names: there, with the hash that is asked for, and loadable under the page's embedder policy. */
export async function checkScript(
  { url: page, tags, embedderPolicy }: Page,
  timeoutMs: number,
): Promise<Finding[]> {
  const check = "page.script";
  if (!tags.script)
    return tags.embed
      ? [
          warning(
            check,
            "The page's HTML names no platform-embed.js.",
            'That is right where a bundle of yours has it: customElements.get("platform-embed") in the console tells. Else add its script tag.',
          ),
        ]
      : [];
  const url = new URL(tags.script.get("src") ?? "", page);
  const response = await send(url, { timeoutMs, headers: { Origin: page.origin } });
  if (response.status !== 200 || !headerOf(response, "content-type").includes("javascript")) {
    const said = /There is no version[^"]*/.exec(response.text)?.[0] ?? "";
    const remedy = `Name a script that is there. ${said}`.trim();
    return [wrong(check, `${url.origin}${url.pathname} answers with status ${response.status}.`, remedy)];
  }
  const isForeign = url.origin !== page.origin;
  const integrity = tags.script.get("integrity") ?? "";
  const hash = hashOf(integrity, response.text);
  if (hash && !integrity.split(/\s+/).includes(hash))
    return [
      wrong(
        check,
        `The script's integrity is not that of ${url.origin}${url.pathname}.`,
        `Write integrity="${hash}".`,
      ),
    ];
  const hasCors = tags.script.has("crossorigin");
  if (integrity && isForeign && !hasCors)
    return [
      wrong(check, "The script has integrity and no crossorigin.", "Add crossorigin to the script tag."),
    ];
  if (hasCors && isForeign && !headerOf(response, "access-control-allow-origin"))
    return [
      wrong(
        check,
        `${url.origin}${url.pathname} has no Access-Control-Allow-Origin.`,
        "Leave crossorigin out, or add the header.",
      ),
    ];
  const isTaken = hasCors || headerOf(response, "cross-origin-resource-policy") === "cross-origin";
  if (embedderPolicy === "require-corp" && isForeign && !isTaken)
    return [
      wrong(
        check,
        `The page's Cross-Origin-Embedder-Policy is require-corp, and ${url.origin}${url.pathname} has no Cross-Origin-Resource-Policy.`,
        "Add crossorigin to the script tag.",
      ),
    ];
  return [ok(check, `${url.origin}${url.pathname} is served.`)];
}

/** The hash of `text` by the strongest algorithm that `integrity` names, as it should stand there; null where it names none. */
function hashOf(integrity: string, text: string): string | null {
  const algorithm = ["sha512", "sha384", "sha256"].find((name) => integrity.includes(`${name}-`));
  return algorithm ? `${algorithm}-${createHash(algorithm).update(text).digest("base64")}` : null;
}
