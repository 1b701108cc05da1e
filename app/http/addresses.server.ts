import type { IncomingMessage } from "node:http";
import type { Env } from "../env.server";

/**
 * The addresses of all routes: those without a parameter, and the others with the pattern of their paths. A route declares its own when its
 * module is imported, and the server imports all of them before it listens. A path has one spelling. Remix would also accept another case, a
 * slash at the end or needless percent-encoding, and so a caller could get past a proxy that guards some paths.
 */
const fixed = new Set<string>();
const withParameter = new Map<string, RegExp>();

/** @param address like `/api/embed/url`, or `/embed/:service` with a parameter that matches one segment */
export function declareAddress(address: string): void {
  if (!address.includes(":")) fixed.add(address);
  else withParameter.set(address, new RegExp(`^${address.replace(/:\w+/, "([^/]+)")}$`));
}

/** Says "no address" in the log and the metrics. */
export const UNKNOWN = "(unknown)";
/** Stands for the addresses of all files. */
export const FILE = "(file)";

/** The methods that some route accepts, or refuses with a 405. Remix cannot read others, such as TRACE or those of WebDAV. */
export const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Paths of the files in `public/`. The compiler names some after their route: `embed.$service-….js`. */
const FILES =
  /^\/(build|pdfjs|embed-workers)\/[\w.$[\]/-]+$|^\/platform-embed[\w@.-]*\.(css|js|map|json)$|^\/(embed-downloads\/worker\.js|icon\.svg|robots\.txt)$/;

/** The address that a path matches, like `/embed/:service`; undefined when there is none. */
export function addressOf(path: string): string | undefined {
  if (fixed.has(path)) return path;
  for (const [address, pattern] of withParameter) {
    const [, parameter] = pattern.exec(path) ?? [];
    if (parameter !== undefined && isCanonical(parameter)) return address;
  }
  return undefined;
}

/** Whether a segment has the one spelling that `encodeURIComponent` gives it. Remix takes paths that end with `.data` for requests of its own. */
function isCanonical(segment: string): boolean {
  try {
    return encodeURIComponent(decodeURIComponent(segment)) === segment && !segment.endsWith(".data");
  } catch {
    return false;
  }
}

/** Whether a path is that of a file in `public/`, which the server looks for before any route. */
export function isFile(path: string): boolean {
  return FILES.test(path) && !path.includes("..") && !path.includes("//");
}

/** What the log and the metrics call a path: its address, `FILE` or `UNKNOWN`. Never the path itself, which may hold a token. */
export function describePath(path: string): string {
  return addressOf(path) ?? (isFile(path) ? FILE : UNKNOWN);
}

export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

/**
 * Which base URL serves an address: `api` for integrators' backends, `platform` for browsers. `both` is served under any host name,
 * because a load balancer asks by IP address; `nowhere` is for paths that are no address.
 */
export type HostRole = "api" | "platform" | "both" | "nowhere";

/** Whether a request came to the base URL that serves `role`. Host names are compared, and ports where the base URL has one. */
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
