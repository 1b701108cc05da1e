import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { Env } from "../env/env.server";
import { AppError } from "../shared/app-error";
import { methodNotAllowed, notFound, sendFailure } from "./failure.server";
import { FILE_ROUTE, METHODS, pathOf, routeLabelOf, UNKNOWN_ROUTE } from "./route-table.server";

const PLAIN_HOST = /^([a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?\.?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;

/** The host of an HTTP/1.0 request without `Host`, which some load balancers' health checks are. No base URL has it. */
const NO_HOST = "none.invalid";

/**
 * Middleware: refuses unsupported methods, malformed targets and hosts, and paths without a route, with our JSON error. Express and
 * Remix would send HTML or a stack. A request that passes has one plain `Host`, of which Remix makes its URL.
 */
export function checkRequest(env: Pick<Env, "trustProxy" | "production">): RequestHandler {
  return (request, response, next) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.locals.callerAddress = callerAddressOf(request, env);
    const host = hostOf(request, env.trustProxy);
    const failure = refusalOf(request, host, env);
    if (failure !== undefined) return sendFailure(request, response, failure);
    request.headers.host = host;
    delete request.headers["x-forwarded-host"];
    next();
  };
}

/** Why a request is refused; undefined when it is not. */
function refusalOf(
  request: IncomingMessage,
  host: string | undefined,
  env: Pick<Env, "production">,
): AppError | undefined {
  const { method = "" } = request;
  if (!METHODS.includes(method)) return methodNotAllowed(METHODS, "This method is not supported.");
  if (!request.url?.startsWith("/")) return invalid("The request target must be a path, like /healthz.");
  if (host === undefined) return invalid("The Host header must be one host name, with or without a port.");

  const empty = refusalOfEmptyHeader(request);
  if (empty !== undefined) return empty;

  const path = pathOf(request);
  const route = routeLabelOf(path);
  if (route === FILE_ROUTE) return undefined;
  // Paths that begin with /__ are those of Remix's development tools.
  if (route === UNKNOWN_ROUTE && (env.production || !path.startsWith("/__"))) return notFound();
  // A data request of Remix's router, which none of our pages sends. Remix would log it as our error.
  if (new URLSearchParams(request.url.slice(path.length)).has("_data")) return notFound();
  if (route === "/embed/:service" && method !== "GET" && method !== "HEAD") {
    return methodNotAllowed(["GET", "HEAD"]);
  }
  return undefined;
}

/**
 * Remix drops empty headers, so they are refused here. An empty `Idempotency-Key` would count as none, and an e-mail that is sent again with
 * it would arrive twice. With an empty `X-Api-Key`, a request would be one of the bearer token, which may see every company. An empty
 * `Authorization` allows no more than none, and an empty `Prefer` means nothing.
 */
function refusalOfEmptyHeader({ headers }: IncomingMessage): AppError | undefined {
  if (headers["idempotency-key"] === "")
    return invalid("must not be empty; send no such header if you have no key", "Idempotency-Key");
  if (headers["x-api-key"] === "")
    return new AppError("invalid_api_key", "The API key is empty. Send a live key as X-Api-Key.");
  return undefined;
}

function invalid(message: string, path = ""): AppError {
  return new AppError("invalid_request", message, { issues: [{ path, message }] });
}

/**
 * The requested host with its port: `X-Forwarded-Host` behind a trusted proxy, else `Host`. Undefined when it is malformed or there are
 * two. RFC 9112, section 3.2. Of several forwarded hosts the first counts, as in Express: proxies behind the first one add their own names.
 * Callers may have written it, but it says no more than `Host`: whether the API is meant or the platform.
 */
function hostOf(request: IncomingMessage, trustProxy: boolean): string | undefined {
  if ((request.headersDistinct.host?.length ?? 0) > 1) return undefined;
  const forwarded = trustProxy ? String(request.headers["x-forwarded-host"] ?? "") : "";
  const host = (
    forwarded.split(",", 1)[0]?.trim() ||
    request.headers.host ||
    (request.httpVersion === "1.0" ? NO_HOST : "")
  ).toLowerCase();
  const match = PLAIN_HOST.exec(host);
  return match !== null && Number(match[3]?.slice(1) ?? 0) <= 65_535 ? host : undefined;
}

/** Behind a trusted proxy, the last address in `X-Forwarded-For`: the proxy has added it. Callers may have written those before it. */
function callerAddressOf(request: IncomingMessage, { trustProxy }: Pick<Env, "trustProxy">): string {
  const forwarded = trustProxy ? String(request.headers["x-forwarded-for"] ?? "") : "";
  const last = forwarded.split(",").at(-1)?.trim();
  return callerOf(last || request.socket.remoteAddress || "unknown");
}

/**
 * What counts as one caller: an IPv4 address, without the port that some proxies add, or the /64 of an IPv6 address, because one
 * connection usually has a whole /64 to itself. Anything else is one caller by its first 64 characters.
 */
export function callerOf(address: string): string {
  const host = /^\[([^\]]*)\](:\d+)?$/.exec(address)?.[1] ?? address;
  const v4 = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/i.exec(host)?.[1];
  if (v4 !== undefined) return v4;
  return /^[\da-f:]{2,39}(\.|%|$)/i.test(host) && host.includes(":") ? networkOf(host) : host.slice(0, 64);
}

/** The first four groups of an IPv6 address. RFC 4291, section 2.2. */
function networkOf(address: string): string {
  const [head = [], tail] = address.split("::", 2).map((half) => half.split(":").filter(Boolean));
  const zeros = tail === undefined ? 0 : Math.max(8 - head.length - tail.length, 0);
  const groups = [...head, ...Array(zeros).fill("0"), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
