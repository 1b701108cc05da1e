import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { AppError } from "../app-error";
import type { RequestContext } from "../request-context.server";
import { appOf } from "./app-context.server";
import { type Endpoint, Reply } from "./endpoint.server";
import { failureResponse } from "./failure.server";
import { contextOf, REQUEST_BUDGET_MS } from "./front-door.server";
import { type HostRole, isServedHere } from "./host.server";
import { failureOf, logged } from "./logged.server";
import { discardBody } from "./read-json.server";

export type Methods = Partial<Record<"GET" | "POST", Endpoint>>;

/** All that one address answers. */
export interface RouteContract {
  role: HostRole;
  methods: Methods;
}

/** milliseconds after its budget is over at which a request is answered, whatever it still waits for */
const LAST_CALL_MS = 1_500;

/**
 * The one way in for everything that answers JSON. `loader` and `action` are needed on every such route: where one is missing, Remix
 * answers with HTML of its own. Checks host and method, maps what is thrown to a response, and logs; the rest is the endpoint's.
 */
export function apiRoute(role: HostRole, methods: Methods) {
  const answer = ({ request, params, context: loadContext }: LoaderFunctionArgs | ActionFunctionArgs) => {
    const app = appOf(loadContext);
    const context = contextOf(request);
    return logged(request, context, async () => {
      try {
        if (!isServedHere(request, role, app.env)) throw notFound();
        const endpoint = endpointFor(request.method, methods);
        context.deadline += endpoint.budgetMs - REQUEST_BUDGET_MS;
        const work = endpoint.run({ request, params, app, context });
        const answered = await beforeDeadline(endpoint.budgetMs + LAST_CALL_MS, work);
        const result = toResponse(answered, endpoint, context);
        return { result, status: result.status };
      } catch (thrown) {
        const failure = await failureOf(thrown, app.rateLimits, context);
        const result = withOurHeaders(failureResponse(failure.error), context);
        await discardBody(request).catch(() => {});
        return { result, status: result.status, failure };
      }
    });
  };
  const contract: RouteContract = { role, methods };
  return { loader: answer, action: answer, contract };
}

function endpointFor(method: string, methods: Methods): Endpoint {
  const asked = method === "HEAD" ? "GET" : method;
  const found = asked === "GET" || asked === "POST" ? methods[asked] : undefined;
  if (found !== undefined) return found;
  const allow = Object.keys(methods)
    .flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : name))
    .join(", ");
  throw new AppError("method_not_allowed", `This address answers ${allow}.`, { headers: { Allow: allow } });
}

/** `work`, or `unavailable` where it has not ended within `limitMs`. Every answer has a latest moment. */
function beforeDeadline(limitMs: number, work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = () => {
      const message = "The request could not be answered in time. Try again in a moment.";
      reject(new AppError("unavailable", message, { retryAfterSeconds: 5, logDetail: "no answer in time" }));
    };
    const timer = setTimeout(late, limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function notFound(): AppError {
  return new AppError("not_found", "There is nothing at this address.");
}

/** What an endpoint returned, as JSON with the status that it declares first, unless it says another. */
function toResponse(result: unknown, { responses }: Endpoint, context: RequestContext): Response {
  if (result instanceof Response) return withOurHeaders(result, context);
  const [first = 200] = Object.keys(responses).map(Number);
  const { status, body } = result instanceof Reply ? result : { status: first, body: result };
  // Headers that a response is made with cost a fraction of those that are set on it.
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...ourHeaders(context), "Cache-Control": "no-store", "Content-Type": "application/json" },
  });
}

function withOurHeaders(response: Response, context: RequestContext): Response {
  for (const [name, value] of Object.entries(ourHeaders(context))) response.headers.set(name, value);
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
  return response;
}

const ourHeaders = ({ requestId }: RequestContext) => ({
  "X-Request-Id": requestId,
  "X-Content-Type-Options": "nosniff",
});
