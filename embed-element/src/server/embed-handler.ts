import { ConfigurationError, EmbedUrlError } from "./embed-url-error.js";
import { type EmbedVisitor, issueEmbedUrl, type ScopeOf } from "./issue-embed-url.js";
import { checkAccess, type PlatformAccess } from "./request-platform.js";
import { json, log, refusal, reportTo } from "./responses.js";

export interface EmbedHandlerOptions<Context, Service extends string = "files"> extends PlatformAccess {
  /**
   * Returns what this visitor may see, or `null`, `undefined` or `false` if nobody is signed in. Decide by the session: the
   * request's JSON body `{ service, scope, reason }` comes from a browser and is only a wish.
   * @param context the second argument of the handler; with Express and Fastify, their request
   */
  scope(request: Request, context: Context): ScopeDecision<Service> | Promise<ScopeDecision<Service>>;
  /** Returns who the visitor is, from the session. Called after `scope`, for visitors who are signed in. */
  visitor?(
    request: Request,
    context: Context,
  ): EmbedVisitor | null | undefined | Promise<EmbedVisitor | null | undefined>;
  /** default `files` */
  service?: Service;
  /** default 900, at most 3600 */
  expiresInSeconds?: number;
  /**
   * the origin of the embedding pages that goes into tokens, instead of all origins of the API key: URLs are shorter. Has nothing to do
   * with `origins`
   */
  origin?: string;
  /** who may call this endpoint: other origins, like `https://portal.example.com`. Its own origin always may. They do not go into tokens */
  origins?: readonly string[];
  /** Called with every failure, for your log; default `console.error`. The browser gets the code and one sentence. */
  onError?(error: unknown): void;
}

type ScopeDecision<Service extends string> = ScopeOf<Service> | null | undefined | false;

/** Never rejects. */
// biome-ignore lint/suspicious/noExplicitAny: every server has its own type of request, and the handler should fit all of them without a type argument
export type EmbedHandler<Context = any> = (request: Request, context?: Context) => Promise<Response>;

/**
 * Creates the token endpoint of `<platform-embed>`: `scope` decides what the visitor may see, and the platform issues a URL.
 *
 * | status | code | when |
 * | --- | --- | --- |
 * | 200 | | `{ url, expiresAt, service }` |
 * | 401 | `not_signed_in` | `scope` returned nothing |
 * | 403 | `cross_site` | the page belongs to another site |
 * | 403 | `service_not_allowed` | the page requests another service |
 * | 405 | `method_not_allowed` | the method is not POST |
 * | 500 | `failed` | `scope` threw |
 * | 502 | `configuration_invalid` | `scope` returned a member that is `undefined`, or a setting is missing or invalid |
 * | 502 | the platform's | the platform refused the key, the scope, … |
 * | 503 | `platform_unreachable`, `platform_timeout`, `platform_unavailable` | a retry may succeed |
 *
 * Missing settings and invalid `origins` are also passed to `onError` at once.
 */
// biome-ignore lint/suspicious/noExplicitAny: as above; `createEmbedHandler<Request>` makes it strict
export function createEmbedHandler<Context = any, Service extends string = "files">(
  options: EmbedHandlerOptions<Context, Service>,
): EmbedHandler<Context> {
  const {
    service = "files" as Service,
    expiresInSeconds,
    origin,
    scope: decide,
    visitor: identify,
    origins = [],
    onError = log,
    ...access
  } = options;
  let ownOrigins: string[] = [];
  const report = reportTo(onError);
  try {
    checkAccess(access);
    ownOrigins = origins.map(originOf);
  } catch (error) {
    // Not thrown: frameworks load this module during their build, where there is no key, and the rest of the server works without it.
    report(error);
  }

  async function respond(request: Request, context: Context): Promise<Response> {
    if (request.method !== "POST") return refusal(405, "method_not_allowed", "Use POST.", { Allow: "POST" });
    if (!isOwn(request, ownOrigins)) {
      report(new EmbedUrlError("cross_site", crossSite(request)));
      return refusal(403, "cross_site", "This address serves its own pages only.");
    }
    const requestedService = (await serviceOf(request)) ?? service;
    if (requestedService !== service) {
      const named = JSON.stringify(requestedService).slice(0, 100);
      const message = `The page asks for the service ${named}, and this endpoint is for "${service}".`;
      report(new EmbedUrlError("service_not_allowed", message));
      return refusal(403, "service_not_allowed", `This address serves the service "${service}" only.`);
    }
    const scope = await decide(request, context);
    if (!scope) return refusal(401, "not_signed_in", "Sign in first.");
    const issued = await issueEmbedUrl({
      ...access,
      service,
      scope,
      expiresInSeconds,
      origin,
      visitor: (await identify?.(request, context)) ?? undefined,
      signal: request.signal,
    });
    return json(200, issued);
  }

  return async (request, context) => {
    try {
      return await respond(request, context as Context);
    } catch (error) {
      // A page that was left has ended its request. That is nobody's fault, and the platform can be reached.
      if (!request.signal.aborted) report(error);
      return explain(error);
    }
  };
}

function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : "null";
  // Such as that of `capacitor:`. Every sandboxed frame also sends it.
  if (origin === "null")
    throw new TypeError(`origins has "${url}", which is not an origin like https://portal.example.com.`);
  return origin;
}

/** The service that the page requests, if it names one. Leaves the body unread for `scope`. */
async function serviceOf(request: Request): Promise<unknown> {
  if (request.bodyUsed) return undefined;
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  return Object(body).service;
}

/** For the developer's console. They reveal neither the key nor the scope. */
const sentences: Record<string, string> = {
  invalid_api_key:
    "The platform does not know this server's API key: it is mistyped, truncated or revoked. Give the server a live one (pek_…).",
  api_key_expired: "This server's API key has expired. Give the server a new one.",
  service_not_allowed: "The API key may not use this service.",
  service_not_enabled: "The platform does not offer this service yet.",
  scope_not_allowed: "The API key does not allow this scope; this server's log names the member.",
  origin_not_allowed: "The API key does not allow the origin that is set for the token endpoint.",
  invalid_request: "The platform did not understand the scope; this server's log says why.",
  platform_invalid: "The server at apiBaseUrl is not the platform's API; this server's log has the address.",
};

/** The response to the browser after a failure: enough for `<platform-embed>` to show the right message, and no more. */
function explain(error: unknown): Response {
  if (error instanceof ConfigurationError) return refusal(502, "configuration_invalid", error.message);
  if (!(error instanceof EmbedUrlError))
    return refusal(500, "failed", "This server failed; its log says why.");
  const { code, requestId, retryable, retryAfter } = error;
  if (!retryable) return refusal(502, code, sentences[code] ?? "The platform refused.", {}, requestId);
  const headers: Record<string, string> = retryAfter ? { "Retry-After": String(retryAfter) } : {};
  return refusal(503, code, "The platform cannot be reached just now.", headers, requestId);
}

/**
 * Whether the request comes from an allowed page, so that no other site can use the visitor's session (CSRF). Browsers say so in
 * `Sec-Fetch-Site`; for older ones, the origin of the page is compared with the URL of this endpoint. A request with neither
 * header does not come from a browser.
 */
function isOwn({ headers, url }: Request, origins: readonly string[]): boolean {
  const origin = headers.get("Origin");
  if (origin !== null && origins.includes(origin)) return true;
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  if (origin === null) return true;
  // A proxy may have changed the scheme and the host. Another site's page cannot set these headers.
  const [host] = (headers.get("X-Forwarded-Host") ?? headers.get("Host") ?? new URL(url).host).split(/\s*,/);
  return origin === `https://${host}` || origin === `http://${host}`;
}

function crossSite({ headers }: Request): string {
  const origin = headers.get("Origin") ?? "an unknown origin";
  return `A page of ${origin} asked for an embed URL. If it is yours, add it to origins.`;
}
