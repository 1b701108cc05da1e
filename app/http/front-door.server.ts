import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "../app-error";
import type { Env } from "../env.server";
import type { RequestContext } from "../request-context.server";
import { currentMetrics } from "../telemetry/metrics.server";
import { areTracesOn, traceRequest } from "../telemetry/traces.server";
import { type Address, addressOf, isFile, UNKNOWN } from "./addresses.server";
import { callerOf } from "./caller-address.server";
import { describeFailure } from "./failure.server";
import { headersOfFile, refusalOfVersion } from "./public-files.server";
import { chooseRequestId } from "./request-id.server";
import { CLIENT_GONE, logRequest } from "./request-log.server";

/** milliseconds that a request may spend on providers, all calls together; an endpoint may ask for more */
export const REQUEST_BUDGET_MS = 12_000;

/** What the routes can respond to, if only by "not this method"; the rest (TRACE, CONNECT, WebDAV's) Remix could not even read. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** What stands for the address of a file. */
const FILE = "(file)";

const PLAIN_HOST = /^([a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?\.?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;

/**
 * Judges a request before Express and Remix see it, and answers in our own shape what they would answer with HTML, a stack or
 * an error of their own: targets, hosts and methods out of form, and paths that are no address. What passes goes on to
 * `next` with a plain `Host`, its id as `X-Request-Id`, and its caller's address alone in `X-Forwarded-For`: `contextOf` reads them there.
 * @param isLast whether the connection ends with this response; asked when its headers are sent
 */
export function enterFrontDoor(
  request: IncomingMessage,
  response: ServerResponse,
  env: Pick<Env, "trustProxy" | "production">,
  isLast: () => boolean,
  next: () => void,
): void {
  const started = performance.now();
  const path = pathOf(request);
  const address = addressOf(path) ?? (isFile(path) ? FILE : UNKNOWN);
  const requestId = chooseRequestId(request.headers);
  request.headers["x-request-id"] = requestId;
  onHeaders(response, () => {
    if (!response.hasHeader("X-Request-Id")) response.setHeader("X-Request-Id", requestId);
    if (!response.hasHeader("X-Content-Type-Options"))
      response.setHeader("X-Content-Type-Options", "nosniff");
    if (isLast()) response.setHeader("Connection", "close");
    if (address !== FILE) return;
    for (const [name, value] of Object.entries(headersOfFile(path, response.statusCode < 400)))
      response.setHeader(name, value);
  });
  request.headers["x-forwarded-for"] = callerAddressOf(request, env);
  observeRequest(request, response, { requestId, address }, started, () => {
    const failure = refusalOf(request, address, env);
    if (failure === undefined) return next();
    sendFailure(request, response, failure);
    logRequest(
      { requestId, address },
      {
        method: request.method ?? "",
        status: response.statusCode,
        milliseconds: performance.now() - started,
        failure,
      },
    );
  });
}

/** The context of a request for `address` that has passed the front door; in a test of a route by itself, one of its own. */
export function contextOf(request: Request, address: Address | typeof UNKNOWN): RequestContext {
  return {
    requestId: request.headers.get("X-Request-Id") ?? crypto.randomUUID(),
    address,
    callerAddress: request.headers.get("X-Forwarded-For") ?? "unknown",
    deadline: performance.now() + REQUEST_BUDGET_MS,
    signal: request.signal,
  };
}

/** Does `work`, and measures the request to the end of its response, where somebody looks. */
function observeRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, address }: Pick<RequestContext, "requestId" | "address">,
  started: number,
  work: () => void,
): void {
  const metrics = currentMetrics();
  if (metrics === undefined && !areTracesOn()) {
    work();
    return;
  }
  const method = METHODS.includes(request.method ?? "") ? String(request.method) : "(other)";
  const trace = traceRequest({ requestId, method, address, headers: request.headers });
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
    metrics?.requests.inc({ address, method, status });
    metrics?.requestSeconds.observe({ address }, (performance.now() - started) / 1000);
    trace?.end(status);
  };
  // Finished comes before the caller has the response, so that whoever asks for the metrics then finds it counted.
  response.once("finish", end);
  response.once("close", end);
  if (trace === undefined) work();
  else trace.run(work);
}

/** Why a request goes no further; undefined when it may. Makes its `Host` the one that counts. */
function refusalOf(
  request: IncomingMessage,
  address: string,
  env: Pick<Env, "trustProxy" | "production">,
): AppError | undefined {
  if (!METHODS.includes(request.method ?? "")) {
    return new AppError("method_not_allowed", "This method is not supported.", {
      headers: { Allow: METHODS.join(", ") },
    });
  }
  if (!request.url?.startsWith("/")) return invalid("The request target must be a path, like /healthz.");
  const host = hostOf(request, env.trustProxy);
  if (host === undefined) return invalid("The Host header must be one host name, with or without a port.");
  request.headers.host = host;
  delete request.headers["x-forwarded-host"];

  if (address === FILE) return refusalOfVersion(pathOf(request));
  if (address === UNKNOWN && !(isDevelopmentPath(pathOf(request)) && !env.production)) {
    return new AppError("not_found", "There is nothing at this address.");
  }
  // Remix would answer with an error of its own, and have it logged as a defect of ours.
  if (new URLSearchParams(request.url.slice(pathOf(request).length)).has("_data")) {
    return new AppError("not_found", "There is nothing at this address.");
  }
  if (address === "/embed/:service" && request.method !== "GET" && request.method !== "HEAD") {
    return new AppError("method_not_allowed", "This address answers GET, HEAD.", {
      headers: { Allow: "GET, HEAD" },
    });
  }
  return undefined;
}

function invalid(message: string): AppError {
  return new AppError("invalid_request", message, { issues: [{ path: "", message }] });
}

/** Asked for by Remix's development tools. */
function isDevelopmentPath(path: string): boolean {
  return path.startsWith("/__");
}

/** Stands for the `Host` that HTTP/1.0 need not have, as in the health checks of some load balancers: no base URL's. */
const NO_HOST = "none.invalid";

/**
 * The host that was asked for, with its port: `X-Forwarded-Host` behind a trusted proxy, else `Host`. Undefined when that is no
 * host, or when there are two. RFC 9112, section 3.2.
 */
function hostOf(request: IncomingMessage, trustProxy: boolean): string | undefined {
  if (hasTwoHosts(request.rawHeaders)) return undefined;
  const forwarded = trustProxy ? request.headers["x-forwarded-host"] : undefined;
  const host = (
    String(forwarded ?? "")
      .split(",")[0]
      ?.trim() ||
    request.headers.host ||
    (request.httpVersion === "1.0" ? NO_HOST : "")
  ).toLowerCase();
  const match = PLAIN_HOST.exec(host);
  return match !== null && Number(match[3]?.slice(1) ?? 0) <= 65_535 ? host : undefined;
}

/** @param rawHeaders names and values in turn, as Node has them */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") count++;
  }
  return count > 1;
}

/** Behind a trusted proxy what it appended last; before it may stand whatever the caller likes. */
function callerAddressOf(request: IncomingMessage, { trustProxy }: Pick<Env, "trustProxy">): string {
  const forwarded = trustProxy ? String(request.headers["x-forwarded-for"] ?? "") : "";
  const last = forwarded.split(",").at(-1)?.trim();
  return callerOf(last || request.socket.remoteAddress || "unknown");
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split("?", 1)[0] ?? "";
}

/** Answers with a failure in our shape. */
function sendFailure(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  const { status, headers, body } = describeFailure(error);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : text);
  // Read away, not cut off: a caller who is still sending would not come to read the response.
  request.resume();
}

/** Calls `change` just before the headers of `response` are sent, whoever sends them. */
function onHeaders(response: ServerResponse, change: () => void): void {
  const writeHead = response.writeHead;
  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    if (!this.headersSent) change();
    return Reflect.apply(writeHead, this, args);
  } as ServerResponse["writeHead"];
}
