import { MAX_BYTES_WITHOUT_TOKEN_HEADER } from "platform-embed-element/client";
import { z } from "zod";
import type { ServiceTools } from "../embed/service";
import { AppError, type AppErrorCode } from "../shared/app-error";
import { parseJson } from "../shared/parse-json";
import { REQUEST_BUDGET_MS, type RequestContext } from "../shared/request-context.server";
import { type AppContext, toolsOf } from "./app-context.server";
import type { RateLimitKind } from "./rate-limits.server";
import { parseInput, readBody, readJson, readOptionalJson } from "./request-body.server";

/** bytes; far more than any of our JSON bodies has */
const DEFAULT_MAX_BODY_BYTES = 64 * 1024;

/** Who calls an endpoint: the tag of its operation in OpenAPI. */
export type Audience = "integrators" | "frame" | "providers" | "operators";

/**
 * How the caller is identified. `headers`: before the body is read. `body`: by its member `token`, after the body has been validated. Large
 * bodies also need the token in a header, which is verified before the body is read. `signature`: by a signature over the body's raw bytes.
 */
export type Auth<Caller> = {
  audience: Audience;
  /** names of security schemes in OpenAPI, of which one is enough; none if the credential is in the body */
  schemes?: readonly ("apiKey" | "bearerToken" | "embedToken" | "queueSignature" | "snsSignature")[];
  errors: readonly AppErrorCode[];
} & (
  | {
      by: "headers";
      /** an API key, unless it is an embed token */
      countedAs?: "token";
      identify(request: Request, app: AppContext): Promise<Identified<Caller>> | Identified<Caller>;
    }
  | {
      by: "body";
      identify(token: string, app: AppContext): Promise<Caller>;
      /** what requests are counted by: somebody with several tokens is one caller */
      identityOf(caller: Caller, token: string): string;
      /** Refuses a page that may not use the token. @throws AppError `origin_not_allowed` */
      checkOrigin(caller: Caller, request: Request, app: AppContext): void;
      /** the same token in a header; empty if there is none */
      tokenInHeader(request: Request): string;
    }
  | {
      by: "signature";
      identify(
        request: Request,
        app: AppContext,
        context: RequestContext,
      ): Promise<(body: Uint8Array) => Caller | Promise<Caller>>;
    }
);

interface Identified<Caller> {
  caller: Caller;
  /** what requests are counted by; undefined if the deployment requires none */
  credential: string | undefined;
}

/** A body with several possible schemas. Choosing one by its content keeps the members of the others out of the errors. */
interface BodyChoice<Schema extends z.ZodType> {
  /** as OpenAPI describes them */
  options(app: AppContext): readonly z.ZodType[];
  choose(json: unknown, app: AppContext): Schema;
}

/** A response with another status than the first declared one, or with headers. */
export class Reply<Body> {
  constructor(
    readonly status: number,
    readonly body: Body,
    readonly headers?: Record<string, string>,
  ) {}
}

type Responses = Readonly<Record<number, z.ZodType>>;
type Result<Declared extends Responses> = {
  [Status in keyof Declared]: z.input<Declared[Status]> | Reply<z.input<Declared[Status]>>;
}[keyof Declared];

interface HandleInput<Caller, Headers, Params, Query, Body> {
  app: AppContext;
  /** Do not read its body: if the endpoint declares one, it has been read. */
  request: Request;
  /** the caller that `auth` has identified */
  caller: Caller;
  headers: Headers;
  params: Params;
  query: Query;
  body: Body;
  /** the body before the schema has changed it */
  json: unknown;
  context: RequestContext;
  /** what an embedded service needs of the app */
  tools: ServiceTools;
  /** Counts the request as so many more, by its credential: one for many things costs what many cost. @throws AppError `rate_limited` */
  countFurther(requests: number): Promise<void>;
}

/** One method of a route: its contract, from which OpenAPI is made, and its handler. */
export interface EndpointDeclaration<
  Caller,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Declared extends Responses,
  Headers extends z.ZodObject,
> {
  /** verb and noun in camel case; clients that are generated from OpenAPI have a function of this name, so it never changes */
  operationId: string;
  /** one line for people */
  summary: string;
  /** Without it the caller is an operator's program, such as a load balancer. */
  auth?: Auth<Caller>;
  /** Names as in the documentation; all values are optional texts. */
  headers?: Headers;
  params?: Params;
  query?: Query;
  /** Without one the body is not read. If the schema is optional, a request may have no body. */
  body?: Body | BodyChoice<Body>;
  maxBodyBytes?: number;
  /** Schemas of JSON bodies by status. A plain result of `handle` gets the first status. Without any, `handle` returns a Response. */
  responses?: Declared;
  /** types of the bodies, besides JSON, that a Response of the first status may have, for callers whose header `Accept` names them */
  mediaTypes?: readonly string[];
  /** its error codes, in addition to those of `auth` and those that any endpoint may have */
  errors?: readonly AppErrorCode[];
  /** milliseconds that all its calls of providers may take together, if that is more than `REQUEST_BUDGET_MS` */
  budgetMs?: number;
  /** Whether requests are counted against a limit; health checks are not. Signed messages never are. */
  isLimited?: boolean;
  /** Replaces an error by the one that the caller gets: a queue, for example, stops its retries only for one status. */
  mapError?(error: AppError): AppError;
  handle(
    input: HandleInput<Caller, z.output<Headers>, z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<Result<Declared> | Response> | Result<Declared> | Response;
}

/** An endpoint as `apiRoute` and OpenAPI use it. */
export interface Endpoint
  extends Pick<AnyDeclaration, "operationId" | "summary" | "headers" | "params" | "query">,
    Required<Pick<AnyDeclaration, "responses" | "mediaTypes" | "errors" | "budgetMs" | "isLimited">> {
  auth?: Pick<Auth<unknown>, "audience" | "schemes" | "errors">;
  /** whether a large body needs its embed token in a header, too */
  takesTokenInHeader: boolean;
  bodies(app: AppContext): readonly z.ZodType[];
  run(call: Call): Promise<unknown>;
}
type AnyDeclaration = EndpointDeclaration<unknown, z.ZodType, z.ZodType, z.ZodType, Responses, z.ZodObject>;

/** One request to an endpoint. */
interface Call {
  request: Request;
  params: Record<string, string | undefined>;
  app: AppContext;
  context: RequestContext;
}

/** What the schemas have accepted. */
type ParsedInput = { [Member in "headers" | "params" | "query" | "body" | "json"]?: unknown };

interface Admitted {
  caller: unknown;
  input: ParsedInput;
  /** undefined for signed messages, which are not counted */
  countedBy?: [kind: RateLimitKind, id: string];
}

/** Declares one method of a route. */
export function endpoint<
  Caller = undefined,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  const Declared extends Responses = Record<never, never>,
  Headers extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(declaration: EndpointDeclaration<Caller, Params, Query, Body, Declared, Headers>): Endpoint {
  const complete = {
    responses: {},
    mediaTypes: [],
    errors: [],
    budgetMs: REQUEST_BUDGET_MS,
    isLimited: true,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    ...declaration,
  };
  const { auth, body, isLimited, maxBodyBytes, mapError } = complete;

  const takesTokenInHeader = auth?.by === "body" && maxBodyBytes > MAX_BYTES_WITHOUT_TOKEN_HEADER;

  const count = async (kind: RateLimitKind, id: string, { app }: Call) => {
    if (isLimited) await app.rateLimits.count(kind, id);
  };

  async function run(call: Call): Promise<unknown> {
    const { request, app, context } = call;
    try {
      const { caller, input, countedBy } = await admit(call);
      const tools = toolsOf(app, context);
      const countFurther = async (requests: number) => {
        if (countedBy !== undefined && requests > 0) await app.rateLimits.count(...countedBy, requests);
      };
      const handleInput = { ...input, app, request, caller, context, tools, countFurther };
      // A cast: TypeScript does not know that `auth` and the declared schemas have made these members.
      return await declaration.handle(handleInput as Parameters<typeof declaration.handle>[0]);
    } catch (thrown) {
      throw mapError !== undefined && thrown instanceof AppError ? mapError(thrown) : thrown;
    }
  }

  /** Identifies the caller, counts the request against a limit, and reads the input, in the order that `auth` allows. */
  async function admit(call: Call): Promise<Admitted> {
    const { request, app, context } = call;
    switch (auth?.by) {
      case undefined: {
        const countedBy: Admitted["countedBy"] = ["address", context.callerAddress];
        await count(...countedBy, call);
        return { caller: undefined, input: await readInput(call), countedBy };
      }
      case "headers": {
        const { caller, credential } = await auth.identify(request, app);
        // If no credential is configured, a proxy guards the endpoint. Its callers are counted by IP address.
        const countedBy: Admitted["countedBy"] = [
          auth.countedAs ?? "key",
          credential ?? context.callerAddress,
        ];
        await count(...countedBy, call);
        return { caller, input: await readInput(call), countedBy };
      }
      case "signature": {
        // Not counted: the sender keeps to its own rate. What nobody has signed is counted by IP address, a 401 by `apiRoute`, and after too
        // much of it nothing more is verified.
        await app.rateLimits.count("address", context.callerAddress, 0);
        const checkBody = await auth.identify(request, app, context);
        const bytes = await readBody(request, maxBodyBytes);
        const caller = await countMalformed(() => checkBody(bytes), call);
        return { caller, input: await readInput(call, async () => parseJson(bytes)) };
      }
      case "body":
        return admitByToken(auth, call);
    }
  }

  /** Counts by IP address what is `invalid_request` before anybody is known to have signed it. */
  async function countMalformed<Found>(check: () => Found | Promise<Found>, call: Call): Promise<Found> {
    try {
      return await check();
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.code === "invalid_request")
        await call.app.rateLimits.count("address", call.context.callerAddress);
      throw thrown;
    }
  }

  async function admitByToken(auth: Extract<Auth<Caller>, { by: "body" }>, call: Call): Promise<Admitted> {
    const { request, app } = call;
    const headerToken = takesTokenInHeader ? auth.tokenInHeader(request) : "";
    const admitCaller = async (token: string) => {
      const caller = await auth.identify(token, app);
      const countedBy: Admitted["countedBy"] = ["token", auth.identityOf(caller, token)];
      await count(...countedBy, call);
      auth.checkOrigin(caller, request, app);
      return { caller, countedBy };
    };
    if (headerToken !== "") {
      const admitted = await admitCaller(headerToken);
      const input = await readInput(call);
      if (tokenIn(input.body) !== headerToken) throw differentTokens();
      return { ...admitted, input };
    }
    const input = await readInputWithToken(call);
    return { ...(await admitCaller(tokenIn(input.body))), input };
  }

  /** Reads an input whose body has the token. If the input is not valid, there is no token to count by, and the address is counted instead. */
  async function readInputWithToken(call: Call): Promise<ParsedInput> {
    try {
      return await readInput(call, takesTokenInHeader ? readJsonWithoutHeader : readJson);
    } catch (invalid) {
      const isLate = invalid instanceof AppError && invalid.code === "request_timeout";
      await count("address", call.context.callerAddress, call).catch((limited: unknown) => {
        // After any other error, `apiRoute` waits for the rest of the body. So a late body stays one, also of a caller over the limit.
        throw isLate ? invalid : limited;
      });
      throw invalid;
    }
  }

  async function readInput({ request, params, app }: Call, read = readJson): Promise<ParsedInput> {
    const query = declaration.query && queryOf(request);
    const input: ParsedInput = {
      headers:
        declaration.headers && parseInput(declaration.headers, headersOf(request, declaration.headers)),
      params: declaration.params && parseInput(declaration.params, params),
      query: declaration.query && parseInput(declaration.query, query),
    };
    if (body === undefined) return input;
    const json = await (isOptional(body) ? readOptionalJson : read)(request, maxBodyBytes);
    const schema = "choose" in body ? body.choose(json, app) : body;
    return { ...input, json, body: parseInput(schema, json) };
  }

  return {
    ...complete,
    takesTokenInHeader,
    bodies: (app) => (body === undefined ? [] : "choose" in body ? body.options(app) : [body]),
    run,
  };
}

/** Whether a request may have no body: not every client sends one with DELETE. */
export const isOptional = (body: object) => body instanceof z.ZodOptional;

/** The query parameters of a request. An empty one counts as missing. */
function queryOf(request: Request): Record<string, string> {
  const parameters = [...new URL(request.url).searchParams];
  return Object.fromEntries(parameters.filter(([, value]) => value !== ""));
}

/** The declared headers of a request; undefined for those that it does not have. */
function headersOf(request: Request, declared: z.ZodObject): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.keys(declared.shape).map((name) => [name, request.headers.get(name) ?? undefined]),
  );
}

/** Reads a body whose token is not in a header. @throws AppError as `readJson` */
function readJsonWithoutHeader(request: Request, maxBodyBytes: number): Promise<unknown> {
  return readJson(request, MAX_BYTES_WITHOUT_TOKEN_HEADER).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "body_too_large") throw error;
    const message =
      `A body over ${MAX_BYTES_WITHOUT_TOKEN_HEADER} bytes needs its token in the header, too: Authorization: Bearer TOKEN. ` +
      `Even then the limit is ${maxBodyBytes} bytes.`;
    throw new AppError("body_too_large", message);
  });
}

function differentTokens(): AppError {
  return new AppError("invalid_token", "The token in the body is not the one in the header Authorization.");
}

function tokenIn(body: unknown): string {
  return (body as { token: string }).token;
}
