import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { AppError } from "../app-error";
import { type Failure, failureResponse, toFailure } from "./failure.server";
import { type HostRole, isServedHere } from "./host.server";
import { discardBody, parseInput, readJson } from "./read-json.server";
import { requestIdOf } from "./request-id.server";
import { logRequest } from "./request-log.server";
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
  /** A plain value is answered as JSON with status 200; a Response is answered as it is. */
  handle: (input: EndpointInput<Caller, z.output<Schema>>) => Promise<unknown> | unknown;
}

type Endpoint = (request: Request, params: Params) => Promise<Response>;

/** One method of an address: declared here, handled with typed values. */
export function endpoint<Caller = undefined, Schema extends z.ZodType = z.ZodUndefined>(
  declaration: EndpointDeclaration<Caller, Schema>,
): Endpoint {
  const { auth, body: schema, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, handle } = declaration;
  return async (request, params) => {
    const caller = (await auth?.(request, services)) as Caller;
    let body: z.output<Schema> | undefined;
    if (schema !== undefined) {
      const json = await readJson(request, maxBodyBytes);
      body = parseInput(typeof schema === "function" ? schema(json) : schema, json);
    }
    const answer = await handle({ request, params, services, caller, body: body as z.output<Schema> });
    return answer instanceof Response ? answer : Response.json(answer);
  };
}

/**
 * The one way in for everything that answers JSON. Both exports are needed on every such route: where one is missing, Remix
 * answers with HTML of its own. Checks host, method, caller, size and shape, maps what is thrown to an answer, and logs.
 */
export function apiRoute(role: HostRole, methods: Partial<Record<"GET" | "POST", Endpoint>>) {
  const answer = ({ request, params }: LoaderFunctionArgs | ActionFunctionArgs) =>
    answered(request, async () => {
      if (!isServedHere(request, role, services.env)) throw notFound();
      const method = request.method === "HEAD" ? "GET" : request.method;
      const handler = method === "GET" || method === "POST" ? methods[method] : undefined;
      if (handler === undefined) throw methodNotAllowed(Object.keys(methods));
      return handler(request, params);
    });
  return { loader: answer, action: answer };
}

export function notFound(): AppError {
  return new AppError("not_found", "There is nothing at this address.");
}

function methodNotAllowed(methods: string[]): AppError {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : method)).join(", ");
  return new AppError("method_not_allowed", `This address answers ${allow}.`, { headers: { Allow: allow } });
}

/** Runs `handler`, maps what it throws, and puts on every answer what every answer has. */
async function answered(request: Request, handler: () => Promise<Response>): Promise<Response> {
  const started = performance.now();
  const requestId = requestIdOf(request);
  let response: Response;
  let failure: Failure | undefined;
  try {
    response = await handler();
  } catch (thrown) {
    failure = toFailure(thrown);
    response = failureResponse(failure.error);
    await discardBody(request).catch(() => {});
  }
  response.headers.set("X-Request-Id", requestId);
  response.headers.set("X-Content-Type-Options", "nosniff");
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
  logRequest(
    {
      requestId,
      method: request.method,
      path: new URL(request.url).pathname,
      status: response.status,
      milliseconds: performance.now() - started,
      ...(failure ? { failure } : {}),
    },
    services.env.production,
  );
  return response;
}
