import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { AppError, errorCodes } from "../app-error";
import { currentRequest, type RequestContext, runInRequest } from "../request-context.server";
import { addressOf } from "./addresses.server";
import { credentialOf } from "./credential.server";
import { type Failure, failureResponse, toFailure } from "./failure.server";
import { REQUEST_BUDGET_MS } from "./front-door.server";
import { type HostRole, isServedHere } from "./host.server";
import { discardBody, parseInput, readJson } from "./read-json.server";
import { CLIENT_GONE, logRequest } from "./request-log.server";
import { type Services, services } from "./services.server";

/** bytes; far above what any of our JSON bodies needs */
const DEFAULT_MAX_BODY_BYTES = 64 * 1024;

type Params = LoaderFunctionArgs["params"];

interface EndpointInput<Caller, Body> {
  request: Request;
  params: Params;
  services: Services;
  /** what `auth` answered */
  caller: Caller;
  /** the body, parsed by `body` */
  body: Body;
}

interface EndpointDeclaration<Caller, Schema extends z.ZodType> {
  /** Who is calling; runs before the body is read, and throws an AppError when it is nobody we serve. */
  auth?: (request: Request, services: Services) => Promise<Caller> | Caller;
  /** The body's schema, or what picks it. Without one the body is not read. */
  body?: Schema | ((body: unknown) => Schema);
  maxBodyBytes?: number;
  /** How long its calls of providers may take together, milliseconds, where that is more than usual. */
  budgetMs?: number;
  /** Whether requests are counted against a limit; health checks and signed messages are not. */
  isLimited?: boolean;
  /** A plain value is answered as JSON with status 200; a Response is answered as it is. */
  handle: (input: EndpointInput<Caller, z.output<Schema>>) => Promise<unknown> | unknown;
}

interface Endpoint {
  handle(request: Request, params: Params): Promise<unknown>;
  budgetMs: number;
}

/** milliseconds after its budget is over at which a request is answered, whatever it still waits for */
const LAST_CALL_MS = 1_500;

/** One method of an address: declared here, handled with typed values. */
export function endpoint<Caller = undefined, Schema extends z.ZodType = z.ZodUndefined>(
  declaration: EndpointDeclaration<Caller, Schema>,
): Endpoint {
  const { auth, body: schema, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, handle } = declaration;
  const { budgetMs = REQUEST_BUDGET_MS, isLimited = true } = declaration;
  return {
    budgetMs,
    async handle(request, params) {
      const caller = (await auth?.(request, services)) as Caller;
      let body: z.output<Schema> | undefined;
      if (schema !== undefined) {
        const json = await readJson(request, maxBodyBytes);
        body = parseInput(typeof schema === "function" ? schema(json) : schema, json);
      }
      if (isLimited) {
        const { kind, identity } = credentialOf(request, body, auth !== undefined);
        await services.rateLimits.count(kind, identity);
      }
      return handle({ request, params, services, caller, body: body as z.output<Schema> });
    },
  };
}

/**
 * The one way in for everything that answers JSON. Both exports are needed on every such route: where one is missing, Remix
 * answers with HTML of its own. Checks host, method, caller, size and shape, maps what is thrown to an answer, and logs.
 */
export function apiRoute(role: HostRole, methods: Partial<Record<"GET" | "POST", Endpoint>>) {
  const answer = ({ request, params }: LoaderFunctionArgs | ActionFunctionArgs) =>
    answered(request, async (context) => {
      if (!isServedHere(request, role, services.env)) throw notFound();
      const method = request.method === "HEAD" ? "GET" : request.method;
      const handler = method === "GET" || method === "POST" ? methods[method] : undefined;
      if (handler === undefined) throw methodNotAllowed(Object.keys(methods));
      context.deadline += handler.budgetMs - REQUEST_BUDGET_MS;
      return beforeDeadline(context, handler.handle(request, params));
    });
  return { loader: answer, action: answer };
}

/** `work`, or `unavailable` where it has not ended soon after the request's time is over. Every answer has a latest moment. */
function beforeDeadline(context: RequestContext, work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        const message = "The request could not be answered in time. Try again in a moment.";
        reject(
          new AppError("unavailable", message, { retryAfterSeconds: 5, logDetail: "no answer in time" }),
        );
      },
      context.deadline - performance.now() + LAST_CALL_MS,
    );
    work.then(
      (response) => {
        clearTimeout(timer);
        resolve(response);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

export function notFound(): AppError {
  return new AppError("not_found", "There is nothing at this address.");
}

function methodNotAllowed(methods: string[]): AppError {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : method)).join(", ");
  return new AppError("method_not_allowed", `This address answers ${allow}.`, { headers: { Allow: allow } });
}

/** Runs `handler`, maps what it throws, and puts on every answer what every answer has. */
function answered(
  request: Request,
  handler: (context: RequestContext) => Promise<unknown>,
): Promise<Response> {
  const started = performance.now();
  // Where no front door was passed, as in a test of a route by itself, the context begins here.
  const around = currentRequest();
  const context = around ?? {
    requestId: crypto.randomUUID(),
    address: addressOf(new URL(request.url).pathname) ?? "(unknown)",
    callerAddress: "unknown",
    deadline: started + REQUEST_BUDGET_MS,
  };
  const answer = async () => {
    let response: Response;
    let failure: Failure | undefined;
    try {
      response = toResponse(await handler(context), context);
    } catch (thrown) {
      failure = await countRefused(toFailure(thrown), context);
      response = toResponse(failureResponse(failure.error), context);
      await discardBody(request).catch(() => {});
    }
    // Whoever went away made what is thrown then: it is no failure of ours.
    const isGone = request.signal.aborted;
    logRequest({
      method: request.method,
      status: isGone ? CLIENT_GONE : response.status,
      milliseconds: performance.now() - started,
      ...(failure && !isGone ? { failure } : {}),
    });
    return response;
  };
  return around === undefined ? runInRequest(context, answer) : answer();
}

/** `answer` with what every answer has. Headers that a response is made with cost a fraction of those that are set on it. */
function toResponse(answer: unknown, { requestId }: RequestContext): Response {
  const headers = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": requestId,
  };
  if (!(answer instanceof Response)) {
    return new Response(JSON.stringify(answer), {
      headers: { ...headers, "Content-Type": "application/json" },
    });
  }
  for (const [name, value] of Object.entries(headers)) {
    if (name !== "Cache-Control" || !answer.headers.has(name)) answer.headers.set(name, value);
  }
  return answer;
}

/** Counts a request without a valid credential against its caller's address: guessing has a limit. */
async function countRefused(failure: Failure, context: RequestContext): Promise<Failure> {
  if (errorCodes[failure.error.code].status !== 401) return failure;
  try {
    await services.rateLimits.count("address", context.callerAddress);
    return failure;
  } catch (thrown) {
    return toFailure(thrown);
  }
}
