import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { AppError } from "../app-error";
import { withinLimit } from "../time-limit";
import type { Address, UNKNOWN } from "./addresses.server";
import { appOf } from "./app-context.server";
import { type Endpoint, Reply } from "./endpoint.server";
import { describeFailure, failureOf } from "./failure.server";
import { contextOf, REQUEST_BUDGET_MS } from "./front-door.server";
import { type HostRole, isServedHere } from "./host.server";
import { notFound } from "./not-found.server";
import { discardBody } from "./read-json.server";
import { logged } from "./request-log.server";

/** All that one address answers. */
export interface RouteContract {
  role: HostRole;
  /** the one that the route's file is named by: a test compares them */
  address: Address | typeof UNKNOWN;
  methods: Partial<Record<"GET" | "POST", Endpoint>>;
}

/** milliseconds after its budget is over at which a request is answered, whatever it still waits for */
const LAST_CALL_MS = 1_500;

/**
 * The one way in for everything that answers JSON, and for pages without scripts. `loader` and `action` are needed on every such route: where one is missing, Remix
 * answers with HTML of its own. Checks host and method, maps what is thrown to a response, and logs; the rest is the endpoint's.
 */
export function apiRoute(
  role: HostRole,
  address: RouteContract["address"],
  methods: RouteContract["methods"],
  failurePage?: (failure: ReturnType<typeof describeFailure>, request: Request) => Page,
) {
  const handle = ({ request, params, context: loadContext }: LoaderFunctionArgs | ActionFunctionArgs) => {
    const app = appOf(loadContext);
    const context = contextOf(request, address);
    return logged(request, context, async () => {
      try {
        if (!isServedHere(request, role, app.env)) throw notFound();
        const endpoint = endpointFor(request.method, methods);
        context.deadline += endpoint.budgetMs - REQUEST_BUDGET_MS;
        const work = endpoint.run({ request, params, app, context });
        const done = await withinLimit(endpoint.budgetMs + LAST_CALL_MS, work, late);
        const result = toResponse(done, endpoint);
        return { result, status: result.status };
      } catch (thrown) {
        const failure = await failureOf(thrown, app.rateLimits, context);
        const described = describeFailure(failure);
        const { status, headers, body } = described;
        await discardBody(request).catch(() => {});
        const page = failurePage?.(described, request);
        const result = page ? htmlResponse(status, page, headers) : json(status, body, headers);
        return { result, status, failure };
      }
    });
  };
  const contract: RouteContract = { role, address, methods };
  return { loader: handle, action: handle, contract };
}

function endpointFor(method: string, methods: RouteContract["methods"]): Endpoint {
  const asked = method === "HEAD" ? "GET" : method;
  const found = asked === "GET" || asked === "POST" ? methods[asked] : undefined;
  if (found !== undefined) return found;
  const allow = Object.keys(methods)
    .flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : name))
    .join(", ");
  throw new AppError("method_not_allowed", `This address answers ${allow}.`, { headers: { Allow: allow } });
}

/** Every response has a latest moment. */
function late(): AppError {
  const message = "The request could not be answered in time. Try again in a moment.";
  return new AppError("unavailable", message, { retryAfterSeconds: 5, logDetail: "no response in time" });
}

/** What an endpoint returned, as JSON with the status that it declares first, unless it says another. */
function toResponse(result: unknown, { responses }: Endpoint): Response {
  if (result instanceof Response) return result;
  if (result instanceof Reply) return json(result.status, result.body, result.headers);
  return json(Number(Object.keys(responses)[0]), result);
}

/** A page that is whole as it is: no script makes it live. */
interface Page {
  html: string;
  headers: Record<string, string>;
}

export function htmlResponse(status: number, page: Page, headers?: Record<string, string>): Response {
  const ours = { "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8" };
  return new Response(page.html, { status, headers: { ...ours, ...page.headers, ...headers } });
}

/**
 * The front door adds what every response has. Headers that a response is made with cost a fraction of those that are set on it. With
 * its length it is sent in one piece, and where it is short, without being compressed.
 */
function json(status: number, body: unknown, headers?: Record<string, string>): Response {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const ours = {
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Content-Length": length,
  };
  return new Response(text, { status, headers: headers ? { ...ours, ...headers } : ours });
}
