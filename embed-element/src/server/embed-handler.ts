import { EmbedUrlError } from "./embed-url-error";
import { checkAccess, type EmbedScope, issueEmbedUrl, type PlatformAccess } from "./issue-embed-url";

export interface EmbedHandlerOptions<Context> extends PlatformAccess {
  /**
   * What this visitor may see, and nothing (`null`, `undefined`, `false`) for who is not signed in. Take it from the session: `request` is
   * what a browser sent, and its JSON body `{ service, scope, reason }` only says what the page would like.
   * @param context what the handler was called with beside the request; below Express and Fastify, their own request
   */
  scope(request: Request, context: Context): ScopeDecision | Promise<ScopeDecision>;
  /** `files` by default */
  service?: string;
  /** 900 by default, 3600 at most */
  expiresInSeconds?: number;
  /** the origin of the pages that embed, where the API key has many: tokens then hold this one only, and URLs stay short */
  origin?: string;
  /** other origins whose pages may ask, `https://portal.example.com`; the handler's own origin always may */
  origins?: readonly string[];
  /** Gets what went wrong, for your log; `console.error` by default. What the browser gets says nothing of it. */
  onError?(error: unknown): void;
}

type ScopeDecision = EmbedScope | null | undefined | false;

/** By Web standards. Never rejects. */
// biome-ignore lint/suspicious/noExplicitAny: the five lines should do as they stand in TypeScript, where each server has a request of its own
export type EmbedHandler<Context = any> = (request: Request, context?: Context) => Promise<Response>;

/**
 * The token endpoint of `<platform-embed>`: decides what the visitor may see and has the platform issue a URL for it.
 *
 * | status | code | when |
 * | --- | --- | --- |
 * | 200 | | `{ url, expiresAt, service }` |
 * | 401 | `not_signed_in` | `scope` gave nothing |
 * | 403 | `cross_site` | a page of another site asked |
 * | 403 | `service_not_allowed` | another service was asked for |
 * | 405 | `method_not_allowed` | it was no POST |
 * | 500 | `failed` | `scope` threw, or gave something incomplete; or a setting is missing, which `onError` is told at once, as of what is no origin in `origins` |
 * | 502 | the platform's | the platform refused: the key, the scope, … |
 * | 503 | `platform_unreachable`, `platform_timeout`, `platform_unavailable` | the same may succeed later |
 */
// biome-ignore lint/suspicious/noExplicitAny: as above; `createEmbedHandler<Request>` says what it is
export function createEmbedHandler<Context = any>(
  options: EmbedHandlerOptions<Context>,
): EmbedHandler<Context> {
  const {
    service = "files",
    expiresInSeconds,
    origin,
    scope: decide,
    origins = [],
    onError = log,
    ...access
  } = options;
  let ownOrigins: string[] = [];
  const report = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // Whoever asked gets a response all the same.
    }
  };
  try {
    checkAccess(access);
    ownOrigins = origins.map(originOf);
  } catch (error) {
    // Not thrown: frameworks load this module while they build, where no key is known, and all else of a server can do without it.
    report(error);
  }

  async function respond(request: Request, context: Context): Promise<Response> {
    if (request.method !== "POST") return refusal(405, "method_not_allowed", "Use POST.", { Allow: "POST" });
    if (!isOwn(request, ownOrigins)) {
      report(new EmbedUrlError("cross_site", crossSite(request)));
      return refusal(403, "cross_site", "This address serves its own pages only.");
    }
    const asked = (await serviceOf(request)) ?? service;
    if (asked !== service) {
      const named = JSON.stringify(asked).slice(0, 100);
      const says = `The page asks for the service ${named}, and this endpoint is for "${service}".`;
      report(new EmbedUrlError("service_not_allowed", says));
      return refusal(403, "service_not_allowed", "This address serves another service.");
    }
    const scope = await decide(request, context);
    if (!scope) return refusal(401, "not_signed_in", "Sign in first.");
    const issued = await issueEmbedUrl({
      ...access,
      service,
      scope,
      expiresInSeconds,
      origin,
      signal: request.signal,
    });
    return json(200, issued);
  }

  return async (request, context) => {
    try {
      return await respond(request, context as Context);
    } catch (error) {
      report(error);
      return explain(error);
    }
  };
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    throw new TypeError(`origins has "${url}", which is no origin like https://portal.example.com.`);
  }
}

/** The service that the page asked for, if it named one. The body can still be read afterwards. */
async function serviceOf(request: Request): Promise<unknown> {
  if (request.bodyUsed) return undefined;
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  return Object(body).service;
}

/** For the developer's console. They tell nothing of the key or the scope. */
const sentences: Record<string, string> = {
  invalid_api_key: "The platform does not know this server's API key.",
  api_key_expired: "This server's API key has expired.",
  service_not_allowed: "The API key is not allowed this service.",
  service_not_enabled: "The platform does not offer this service yet.",
  scope_not_allowed: "The API key is not allowed this scope; this server's log says which member of it.",
  origin_not_allowed: "The API key is not allowed the origin that is set for the token endpoint.",
  invalid_request: "The platform did not understand the scope; this server's log says why.",
  platform_invalid:
    "What answers at apiBaseUrl is not the platform's API; this server's log has the address.",
};

/** What the browser is told of a failure: enough for `<platform-embed>` to say the right thing, and no more. */
function explain(error: unknown): Response {
  if (!(error instanceof EmbedUrlError))
    return refusal(500, "failed", "This server failed; its log says why.");
  const { code, requestId, retryable, retryAfter } = error;
  if (!retryable) return refusal(502, code, sentences[code] ?? "The platform refused.", {}, requestId);
  const headers: Record<string, string> = retryAfter ? { "Retry-After": String(retryAfter) } : {};
  return refusal(503, code, "The platform cannot be reached just now.", headers, requestId);
}

/**
 * Whether a page of our own asks, so that no other site can use a visitor's session. Browsers say it themselves (Fetch Metadata); where
 * they do not, the page's origin is compared with the address that was called. What says neither is no browser.
 */
function isOwn({ headers, url }: Request, origins: readonly string[]): boolean {
  const origin = headers.get("Origin");
  if (origin !== null && origins.includes(origin)) return true;
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  if (origin === null) return true;
  // A proxy may have taken the scheme and the host away. Another site cannot set these headers.
  const [host] = (headers.get("X-Forwarded-Host") ?? headers.get("Host") ?? new URL(url).host).split(/\s*,/);
  return origin === `https://${host}` || origin === `http://${host}`;
}

function crossSite({ headers }: Request): string {
  const origin = headers.get("Origin") ?? "an unknown origin";
  return `A page of ${origin} asked for an embed URL. If it is yours, name it in origins.`;
}

function refusal(
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
  requestId?: string,
): Response {
  return json(status, { error, code, requestId }, headers);
}

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  const all = { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" };
  return new Response(JSON.stringify(body), { status, headers: all });
}

function log(error: unknown): void {
  console.error("platform-embed:", error);
}
