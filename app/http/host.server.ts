import type { Env } from "../env.server";

/**
 * `api` for integrators' backends, `platform` for browsers, `both` for what answers under either base URL, `nowhere` for what
 * is no address at all.
 */
export type HostRole = "api" | "platform" | "both" | "nowhere";

/**
 * Whether a request came to the base URL that serves `role`. Told apart by host name, and port where the base URL names one;
 * `X-Forwarded-Host` counts only behind a trusted proxy. `both` answers under any name: a load balancer asks by address.
 * Decisions, section 1.
 */
export function isServedHere(
  request: Request,
  role: HostRole,
  env: Pick<Env, "apiBaseUrl" | "platformBaseUrl" | "trustProxy">,
): boolean {
  if (role === "both" || role === "nowhere") return role === "both";
  const forwarded = env.trustProxy ? request.headers.get("X-Forwarded-Host") : null;
  const host = (forwarded?.split(",")[0] ?? request.headers.get("Host") ?? "").trim().toLowerCase();
  const base = new URL(role === "api" ? env.apiBaseUrl : env.platformBaseUrl);
  return base.port === "" ? hostNameOf(host) === base.hostname : host === base.host;
}

function hostNameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}
