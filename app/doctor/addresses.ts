import { causeOf, codeOf } from "../error-text";
import { isCertificateError } from "../providers/connection-errors";
import { checkCertificate } from "./certificate";
import type { CheckGroup, DoctorContext } from "./context";
import { attempt, found, type Limits, ok, type Verdict, warning, wrong } from "./finding";

/** Both base URLs as others meet them: the right part of the service behind each, over TLS that holds. */
export const checkAddresses: CheckGroup = async ({ env, limits }) => {
  const { apiBaseUrl, platformBaseUrl } = env;
  const bases: [string, string][] = [
    ["API_BASE_URL", apiBaseUrl],
    ["PLATFORM_BASE_URL", platformBaseUrl],
  ];
  const findings = await Promise.all([
    ...bases.map(([variable, base]) =>
      attempt(
        "addresses.ready",
        limits,
        (signal) => checkReady(variable, base, signal),
        (error) => explainFetchFailure(variable, error),
      ),
    ),
    attempt(
      "addresses.hosts",
      limits,
      (signal) => checkHosts(env, signal),
      () => UNKNOWN_HOSTS,
    ),
    attempt(
      "addresses.script",
      limits,
      (signal) => checkScript(platformBaseUrl, signal),
      (error) => explainFetchFailure("PLATFORM_BASE_URL", error),
    ),
    ...bases.map(([variable, base]) => checkTls(variable, base, env.production, limits)),
  ]);
  return findings.flat();
};

interface Fetched {
  status: number;
  contentType: string;
  json: unknown;
}

async function get(url: string, signal: AbortSignal): Promise<Fetched> {
  const response = await fetch(url, { redirect: "manual", signal });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Not everything is JSON.
  }
  return { status: response.status, contentType: response.headers.get("Content-Type") ?? "", json };
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value;
}

async function checkReady(variable: string, base: string, signal: AbortSignal): Promise<Verdict> {
  const { status, json } = await get(`${base}/readyz`, signal);
  if (status === 200 && hasMember(json, "status")) return ok(`${base} answers and is ready.`);
  if (status === 503 && hasMember(json, "error")) {
    return wrong(
      `${base} answers, but is not ready: it cannot reach its database.`,
      "Look at POSTGRES_URL as the running service has it, and at its log.",
    );
  }
  if (status >= 300 && status < 400) {
    return wrong(
      `${base} redirects elsewhere (status ${status}).`,
      `Set ${variable} to the address that it redirects to, scheme included.`,
    );
  }
  return wrong(
    `What answers at ${base} is not this service, or it is down (/readyz: status ${status}).`,
    `Point the host in ${variable} at the running service, and have the proxy in front pass every path on.`,
  );
}

const UNKNOWN_HOSTS = warning(
  "Whether each base URL serves its own part could not be asked.",
  "Mend the lines on /readyz first, then run this again.",
);

/** A path that only the API has, and one that only the platform has, asked at both. A known path at the other host is a 404. */
async function checkHosts(env: DoctorContext["env"], signal: AbortSignal): Promise<Verdict[]> {
  const { apiBaseUrl, platformBaseUrl } = env;
  const isApi = async (base: string) => {
    const { status, json } = await get(`${base}/openapi.json`, signal);
    return status === 200 && hasMember(json, "openapi");
  };
  // Without a token it is a page that says so, with status 401.
  const isPlatform = async (base: string) => (await get(`${base}/embed/files`, signal)).status === 401;
  const [apiAtApi, apiAtPlatform, platformAtPlatform] = await Promise.all([
    isApi(apiBaseUrl),
    isApi(platformBaseUrl),
    isPlatform(platformBaseUrl),
  ]);
  if (!apiAtApi && apiAtPlatform) {
    return [
      wrong(
        `${platformBaseUrl} serves the API, and ${apiBaseUrl} does not: the two are swapped.`,
        "Swap API_BASE_URL and PLATFORM_BASE_URL, here or where the service runs, or the two host names in the proxy.",
      ),
    ];
  }
  const remedy = (variable: string) =>
    `Have the proxy pass the Host header on, or set X-Forwarded-Host and TRUST_PROXY=true; and give the running service the same ${variable}.`;
  const findings: Verdict[] = [];
  if (!apiAtApi) {
    findings.push(
      wrong(
        `${apiBaseUrl}/openapi.json is not found: the service gets another host name.`,
        remedy("API_BASE_URL"),
      ),
    );
  }
  if (!platformAtPlatform) {
    findings.push(
      wrong(
        `${platformBaseUrl}/embed/files is not found: the service gets another host name.`,
        remedy("PLATFORM_BASE_URL"),
      ),
    );
  }
  if (apiBaseUrl === platformBaseUrl) {
    findings.push(
      warning(
        "Both base URLs are the same: pages in the frame and the API share one origin.",
        "Give PLATFORM_BASE_URL a host of its own.",
      ),
    );
  } else if (apiAtPlatform && apiAtApi) {
    findings.push(
      wrong(
        `${platformBaseUrl} serves the API as well: the service gets the API's host name for both.`,
        remedy("PLATFORM_BASE_URL"),
      ),
    );
  }
  return findings.length > 0 ? findings : [ok("Each base URL serves its own part, and not the other's.")];
}

async function checkScript(base: string, signal: AbortSignal): Promise<Verdict> {
  const { status, contentType } = await get(`${base}/platform-embed.js`, signal);
  if (status === 200 && contentType.includes("javascript")) {
    return ok(`${base}/platform-embed.js is served.`);
  }
  return wrong(
    `${base}/platform-embed.js is not served (status ${status}), so no page can embed.`,
    "Run npm run build where the service is built, and have the proxy pass the path on.",
  );
}

async function checkTls(
  variable: string,
  base: string,
  production: boolean,
  limits: Limits,
): Promise<Verdict[]> {
  const { protocol, hostname } = new URL(base);
  if (protocol === "https:") {
    return attempt(
      "addresses.tls",
      limits,
      (signal) => checkCertificate(base, signal),
      (error) => explainFetchFailure(variable, error),
    );
  }
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  if (!production || isLocal) return [];
  return found(
    "addresses.tls",
    warning(
      `${base} is not https: tokens and keys cross the network in the clear, and https pages cannot embed it.`,
      `Put TLS in front, and write https in ${variable}.`,
    ),
  );
}

function explainFetchFailure(variable: string, error: unknown): Verdict {
  const cause = causeOf(error);
  const code = codeOf(cause);
  if (isCertificateError(cause)) {
    return wrong(
      `The TLS certificate of ${variable} is not valid for browsers (${code}).`,
      "See the line on its certificate.",
    );
  }
  return wrong(
    `${variable} does not answer (${code || "no response in time"}).`,
    `Check that the service runs, that DNS points the host in ${variable} at it, and the firewall.`,
  );
}
