import type { Env } from "../env.server";

/**
 * `api` for integrators' backends, `platform` for browsers, `both` for what answers under either base URL, `nowhere` for what
 * is no address at all.
 */
export type HostRole = "api" | "platform" | "both" | "nowhere";

/**
 * Whether a request came to the base URL that serves `role`. Told apart by host name, and port where the base URL names one; the
 * front door has put the host that counts into `Host`. `both` answers under any name: a load balancer asks by address.
 */
export function isServedHere(
  request: Request,
  role: HostRole,
  env: Pick<Env, "apiBaseUrl" | "platformBaseUrl">,
): boolean {
  if (role === "both" || role === "nowhere") return role === "both";
  const host = request.headers.get("Host") ?? "";
  const base = role === "api" ? env.apiBaseUrl : env.platformBaseUrl;
  const hostOfBase = base.slice(base.indexOf("//") + 2);
  return host === hostOfBase || host.replace(/:\d+$/, "") === hostOfBase;
}
