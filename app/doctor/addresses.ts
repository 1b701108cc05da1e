import { connect } from "node:tls";
import { type Check, ok, runChecks, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { isCertificateError } from "../providers/connection-errors";
import { causeOf, codeOf } from "../shared/error-text";
import type { CheckGroup, DoctorContext } from "./context";

/** Both base URLs as others reach them: each leads to the right part of the service, with a valid certificate. */
export const checkAddresses: CheckGroup = ({ env, limits }) => {
  const { apiBaseUrl, platformBaseUrl } = env;
  const bases: [variable: string, base: string][] = [
    ["API_BASE_URL", apiBaseUrl],
    ["PLATFORM_BASE_URL", platformBaseUrl],
  ];
  const checks: Check[] = [
    ...bases.map(([variable, base]) => ({
      name: "addresses.ready",
      run: (signal: AbortSignal) => checkReady(variable, base, signal),
      explain: (error: unknown) => explainFetchFailure(variable, error),
    })),
    {
      name: "addresses.hosts",
      run: (signal) => checkHosts(env, signal),
      explain: () =>
        warning(
          "Could not check that each base URL serves its own addresses.",
          "Fix the lines on /readyz first, then run this again.",
        ),
    },
    {
      name: "addresses.script",
      run: (signal) => checkScript(platformBaseUrl, signal),
      explain: (error) => explainFetchFailure("PLATFORM_BASE_URL", error),
    },
    ...bases.map(([variable, base]) => ({
      name: "addresses.tls",
      run: async (signal: AbortSignal) => checkTls(variable, base, env.production, signal),
      explain: (error: unknown) => explainFetchFailure(variable, error),
    })),
  ];
  return runChecks(checks, limits);
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
    // The body is not JSON.
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
      `${base} answers, but is not ready: the service there cannot reach its own database, or is being stopped.`,
      "Check POSTGRES_URL where the service runs, and its log.",
    );
  }
  if (status >= 300 && status < 400) {
    return wrong(
      `${base} redirects elsewhere (status ${status}).`,
      `Set ${variable} to the address that it redirects to, scheme included.`,
    );
  }
  return wrong(
    `${base} is not served by this service, or the service is down (/readyz: status ${status}).`,
    `Point the host in ${variable} at the running service, and have the proxy in front pass every path on.`,
  );
}

/** Asks both base URLs for a path that only the API has, and one that only the platform has: each is a 404 at the other. */
async function checkHosts(env: DoctorContext["env"], signal: AbortSignal): Promise<Verdict[]> {
  const { apiBaseUrl, platformBaseUrl } = env;
  const isApi = async (base: string) => {
    const { status, json } = await get(`${base}/openapi.json`, signal);
    return status === 200 && hasMember(json, "openapi");
  };
  // Without a token the response is a page with status 401.
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
        "Swap API_BASE_URL and PLATFORM_BASE_URL, here or where the service runs; or the two host names in the proxy.",
      ),
    ];
  }
  const remedy = (variable: string) =>
    "Have the proxy pass the Host header on, or set X-Forwarded-Host and TRUST_PROXY=true; and give the " +
    `running service the same ${variable}.`;
  const findings: Verdict[] = [];
  if (!apiAtApi) {
    findings.push(
      wrong(
        `${apiBaseUrl}/openapi.json is not found: requests reach the service with another host name.`,
        remedy("API_BASE_URL"),
      ),
    );
  }
  if (!platformAtPlatform) {
    findings.push(
      wrong(
        `${platformBaseUrl}/embed/files is not found: requests reach the service with another host name.`,
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
        `${platformBaseUrl} serves the API as well: all requests reach the service with the API's host name.`,
        remedy("PLATFORM_BASE_URL"),
      ),
    );
  }
  return findings.length > 0
    ? findings
    : [ok("Each base URL serves its own addresses, and not the other's.")];
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
  signal: AbortSignal,
): Promise<Verdict | Verdict[]> {
  const { protocol, hostname } = new URL(base);
  if (protocol === "https:") return checkCertificate(base, signal);
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  if (!production || isLocal) return [];
  return warning(
    `${base} is not https: tokens and keys cross the network unencrypted, and https pages cannot embed it.`,
    `Put TLS in front, and write https in ${variable}.`,
  );
}

function explainFetchFailure(variable: string, error: unknown): Verdict {
  const cause = causeOf(error);
  const code = codeOf(cause);
  if (isCertificateError(cause)) {
    return wrong(
      `The TLS certificate of ${variable} is not valid for browsers (${code}).`,
      "See the line about its certificate.",
    );
  }
  return wrong(
    `${variable} does not answer (${code || "no response in time"}).`,
    `Check that the service runs, that the host in ${variable} leads to it (DNS), and the firewall.`,
  );
}

/** Certificates are usually renewed with a month left: below this, the renewal has stopped working. */
const MIN_DAYS_LEFT = 14;
const DAY_MS = 86_400_000;

/** The certificate that browsers get at `base`, an https origin. */
function checkCertificate(base: string, signal: AbortSignal): Promise<Verdict> {
  const { hostname, port } = new URL(base);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    // Accepts an invalid certificate, to say what is wrong with it.
    const socket = connect({ host, port: Number(port) || 443, servername: host, rejectUnauthorized: false });
    const end = () => socket.destroy();
    signal.addEventListener("abort", end, { once: true });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The connection was closed.")));
    socket.on("secureConnect", () => {
      const daysLeft = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
      const issue = socket.authorized ? undefined : String(socket.authorizationError);
      resolve(judgeCertificate(base, daysLeft, issue));
      signal.removeEventListener("abort", end);
      end();
    });
  });
}

/** @param issue OpenSSL's or Node's code, when the certificate is invalid */
export function judgeCertificate(base: string, daysLeft: number, issue: string | undefined): Verdict {
  if (issue !== undefined) {
    return wrong(
      `${base}: browsers refuse the certificate (${issue}).`,
      issue === "CERT_HAS_EXPIRED"
        ? "Renew it, and find out why the automatic renewal did not."
        : "Install a certificate for this host, with its chain, from an authority that browsers trust.",
    );
  }
  if (daysLeft < MIN_DAYS_LEFT) {
    return warning(
      `${base}: the certificate expires in ${daysLeft} days.`,
      "Renew it, and find out why the automatic renewal did not.",
    );
  }
  return ok(`${base}: the certificate is valid for ${daysLeft} more days.`);
}
