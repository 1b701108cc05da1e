import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { AppError } from "../shared/app-error";
import { contextOf } from "../shared/request-context.server";
import { withinLimit } from "../shared/within-limit";
import { appOf } from "./app-context.server";
import { preflightResponse, readableByPages } from "./cross-origin.server";
import { type Endpoint, Reply } from "./endpoint.server";
import { countedFailureOf, describeFailure, methodNotAllowed, wrongHost } from "./failure.server";
import { discardBody } from "./request-body.server";
import { logged } from "./request-log.server";
import { declareRoute, type HostRole, isKnownHost, UNKNOWN_ROUTE } from "./route-table.server";

/** `HEAD` is handled as `GET`. */
const METHODS_OF_ENDPOINTS = ["GET", "POST", "PATCH", "DELETE"] as const;

/** The methods of one route. */
export interface RouteContract {
  role: HostRole;
  /** A test compares it with the name of the route's file. */
  route: string;
  methods: Partial<Record<(typeof METHODS_OF_ENDPOINTS)[number], Endpoint>>;
}

/** The contracts of all routes; openapi.json is generated from them. */
export const contracts: RouteContract[] = [];

/** A request whose work is still running this long after its budget has ended gets a 503. Milliseconds. */
export const BUDGET_GRACE_MS = 1_500;

/**
 * Makes the `loader` and `action` of a route that responds with JSON or a page without scripts. Both are needed: where
 * one is missing, Remix responds with HTML of its own. They check host and method, turn errors into responses, and log
 * the request. The endpoint does the rest.
 */
export function apiRoute(
  role: HostRole,
  route: string,
  methods: RouteContract["methods"],
  failurePage?: (failure: ReturnType<typeof describeFailure>, request: Request) => Page,
) {
  /** Pages of integrators may call it. */
  const isForPages = Object.values(methods).some(({ auth }) => auth?.audience === "frame");
  const forPages = (response: Response) => (isForPages ? readableByPages(response) : response);
  const handle = ({ request, params, context: loadContext }: LoaderFunctionArgs | ActionFunctionArgs) => {
    const app = appOf(loadContext);
    const endpoint = endpointFor(request.method, methods);
    const context = contextOf(request, route, loadContext, endpoint?.budgetMs);
    return logged(request, context, async () => {
      try {
        if (!isKnownHost(request, role, app.env)) {
          await app.rateLimits.count("address", context.callerAddress);
          throw wrongHost(role);
        }
        if (isForPages && request.method === "OPTIONS") {
          await app.rateLimits.count("preflight", context.callerAddress);
          const result = preflightResponse();
          return { result, status: result.status };
        }
        if (endpoint === undefined) throw methodNotAllowed(allowedMethods(methods));
        const work = endpoint.run({ request, params, app, context });
        const done = await withinLimit(endpoint.budgetMs + BUDGET_GRACE_MS, work, noResponseInTime);
        const result = forPages(toResponse(done, endpoint));
        return { result, status: result.status };
      } catch (thrown) {
        const failure = await countedFailureOf(thrown, app.rateLimits, context);
        const described = describeFailure(failure);
        const { status, headers, body } = described;
        // Do not wait again for a body that has already timed out.
        if (failure.code !== "request_timeout") await discardBody(request).catch(() => {});
        const page = failurePage?.(described, request);
        const result = page ? htmlResponse(status, page, headers) : forPages(json(status, body, headers));
        return { result, status, failure };
      }
    });
  };
  const contract: RouteContract = { role, route, methods };
  if (route !== UNKNOWN_ROUTE) {
    declareRoute(route);
    contracts.push(contract);
  }
  return { loader: handle, action: handle, contract };
}

function endpointFor(method: string, methods: RouteContract["methods"]): Endpoint | undefined {
  const requestedMethod = method === "HEAD" ? "GET" : method;
  const handledMethod = METHODS_OF_ENDPOINTS.find((name) => name === requestedMethod);
  return handledMethod && methods[handledMethod];
}

function allowedMethods(methods: RouteContract["methods"]): string[] {
  return Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : name));
}

/** The error when an endpoint has not returned in time. */
function noResponseInTime(): AppError {
  const message = "The request could not be answered in time. Try again in a moment.";
  return new AppError("unavailable", message, { retryAfterSeconds: 5, logDetail: "no response in time" });
}

/** The response for an endpoint's result, with the first declared status unless the endpoint has named another. */
function toResponse(result: unknown, { responses }: Endpoint): Response {
  if (result instanceof Response) return result;
  if (result instanceof Reply) return json(result.status, result.body, result.headers);
  return json(Number(Object.keys(responses)[0]), result);
}

/** A page without scripts. */
interface Page {
  html: string;
  headers: Record<string, string>;
}

export function htmlResponse(status: number, page: Page, headers?: Record<string, string>): Response {
  const standardHeaders = { "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8" };
  return new Response(page.html, { status, headers: { ...standardHeaders, ...page.headers, ...headers } });
}

/**
 * The server adds the headers that every response has. `Content-Length` lets Node send the response in one piece, and short ones are not
 * compressed.
 */
function json(status: number, body: unknown, headers?: Record<string, string>): Response {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const standardHeaders = {
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Content-Length": length,
  };
  return new Response(text, { status, headers: { ...standardHeaders, ...headers } });
}
