import type { IncomingMessage } from "node:http";
import type { Env } from "../env/env.server";

/**
 * All routes: those without parameters, like `/api/embed/url`, and the others, like `/embed/:service`, with the pattern of their paths. A
 * route declares itself when its module is imported, and the server imports all of them before it listens. Only one spelling of a path is
 * accepted. Remix would accept others (another case, a slash at the end, needless percent-encoding), with which a caller could get past a
 * proxy that guards some paths.
 */
const fixedRoutes = new Set<string>();
const patternByRoute = new Map<string, RegExp>();

/** @param route like `/api/embed/url`, or `/embed/:service` with parameters that match one segment each */
export function declareRoute(route: string): void {
  if (!route.includes(":")) fixedRoutes.add(route);
  else patternByRoute.set(route, new RegExp(`^${route.replaceAll(/:\w+/g, "([^/]+)")}$`));
}

/** In the log and the metrics: the path matches no route. */
export const UNKNOWN_ROUTE = "(unknown)";
/** In the log and the metrics: the path is that of a file. */
export const FILE_ROUTE = "(file)";

/** The methods that some route accepts, or refuses with a 405. Remix cannot read others, such as TRACE or those of WebDAV. */
export const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Paths of the files in `public/`. The compiler names some after their route: `embed.$service-….js`. */
const filePatterns = [
  /^\/(build|pdfjs|embed-workers)\/[\w.$[\]/-]+$/,
  /^\/platform-embed[\w@.-]*\.(css|js|map|json)$/,
  /^\/(embed-downloads\/worker\.js|icon\.svg|robots\.txt)$/,
];

/** The route that a path matches, like `/embed/:service`; undefined when there is none. */
export function routeOf(path: string): string | undefined {
  if (fixedRoutes.has(path)) return path;
  for (const [route, pattern] of patternByRoute) {
    const [, ...parameters] = pattern.exec(path) ?? [];
    if (parameters.length > 0 && parameters.every(isCanonical)) return route;
  }
  return undefined;
}

/**
 * Whether a segment has the one spelling that `encodeURIComponent` gives it. Remix takes paths that end with `.data` for requests of its
 * own.
 */
function isCanonical(segment: string): boolean {
  try {
    return encodeURIComponent(decodeURIComponent(segment)) === segment && !segment.endsWith(".data");
  } catch {
    return false;
  }
}

/** Whether a path is that of a file in `public/`, which the server looks for before any route. */
export function isFile(path: string): boolean {
  return filePatterns.some((pattern) => pattern.test(path)) && !path.includes("..") && !path.includes("//");
}

/** What the log and the metrics call a path: its route, `FILE_ROUTE` or `UNKNOWN_ROUTE`. Never the path itself, which may hold a token. */
export function routeLabelOf(path: string): string {
  return routeOf(path) ?? (isFile(path) ? FILE_ROUTE : UNKNOWN_ROUTE);
}

export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

/**
 * Which base URL serves a route: `api` for integrators' backends, `platform` for browsers. `both` is served under any host name, because a
 * load balancer asks by IP address; `unknown` is for paths without a route.
 */
export type HostRole = "api" | "platform" | "both" | "unknown";

/** Whether a request came to the host that serves `role`. Host names are compared, and ports if the base URL has one. */
export function isKnownHost(
  request: Request,
  role: HostRole,
  env: Pick<Env, "apiBaseUrl" | "platformBaseUrl">,
): boolean {
  if (role === "both") return true;
  if (role === "unknown") return false;
  const host = request.headers.get("Host") ?? "";
  const base = role === "api" ? env.apiBaseUrl : env.platformBaseUrl;
  const hostOfBase = base.slice(base.indexOf("//") + 2);
  return host === hostOfBase || host.replace(/:\d+$/, "") === hostOfBase;
}
