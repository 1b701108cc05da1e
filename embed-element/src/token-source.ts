import { EmbedError, type Refusal } from "./embed-error";

/** Codes of 401 and 403 that say nothing of the visitor: only the integrator can do something about them. */
const OWN_REFUSAL = /^((invalid_)?api_key|(service|scope|origin)_not_|cross_site)/;

/** Why a token is asked for: the first one, the frame said that its own ends, or a person or script asked. */
export type TokenReason = "initial" | "expired" | "manual";

/** What `fetchToken` is called with. All but `signal` is the JSON body that the token endpoint receives. */
export interface TokenRequest {
  service: string;
  /** the element's `scope`; left out when it has none */
  scope?: unknown;
  reason: TokenReason;
  /** aborted after 30 seconds, and when the element is removed */
  signal: AbortSignal;
}

/** The response of the platform's `POST /api/embed/url`, handed on unchanged. */
export interface TokenAnswer {
  /** `{platform_base_url}/embed/<service>?t=<token>` */
  url: string;
  /** unix seconds, by the platform's clock */
  expiresAt: number;
  service: string;
}

/**
 * Gets a new embed URL. To end the session, throw something whose `status` is 401 (a `Response` will do). Another `status` of 4xx is final,
 * too, but for 408 and 429, and so is 502 with a `code`; everything else is tried again.
 */
export type FetchToken = (request: TokenRequest) => Promise<TokenAnswer>;

/** A response that has been checked. */
export interface Grant {
  url: URL;
  token: string;
  expiresAt: number;
}

/** Asks the integrator's endpoint: POST, JSON, with the page's own cookies. */
export function fromEndpoint(endpoint: string): FetchToken {
  return async ({ signal, ...body }) => {
    const response = await fetch(endpoint, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    // Without a query: a sign-in page's may hold what opens the session again, and this goes into logs.
    const [url] = response.url.split("?");
    if (!response.ok) {
      const { status } = response;
      throw {
        requestId: response.headers.get("X-Request-Id"),
        // Unless the answer has words of its own.
        error: status === 403 ? `${url} (CSRF?)` : url,
        ...(await response.json().catch(() => null)),
        status,
      };
    }
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      // A back end that has lost the session likes to redirect to its sign-in page, which is HTML with status 200.
      const code = response.redirected ? "session_expired" : "token_endpoint_invalid";
      throw new EmbedError(code, false, `(${url})`);
    }
  };
}

/**
 * Gets a token and checks what came: the service that was asked for, and an http(s) URL of its page with a token in it.
 * `expiresAt` is only passed on: the frame knows the platform's clock, this page does not.
 * @throws {EmbedError} `token_endpoint_invalid`, or `not_configured` when there is nothing to ask
 */
export async function requestGrant(
  fetchToken: FetchToken | "" | null,
  request: TokenRequest,
): Promise<Grant> {
  if (!fetchToken) throw new EmbedError("not_configured", false);
  const answer: Partial<TokenAnswer> | null = await fetchToken(request);
  const url = readEmbedUrl(answer?.url, request.service);
  if (!url || answer?.service !== request.service) throw new EmbedError("token_endpoint_invalid", false);
  return { url, token: url.searchParams.get("t") ?? "", expiresAt: Number(answer.expiresAt) };
}

/** `text` as the URL of `service`'s page with a token in it, or null. */
export function readEmbedUrl(text: unknown, service: string): URL | null {
  try {
    const url = new URL(String(text), document.baseURI);
    const fits = /^https?:$/.test(url.protocol) && url.pathname.endsWith(`/embed/${service}`);
    return fits && url.searchParams.get("t") ? url : null;
  } catch {
    return null;
  }
}

/** The `scope` attribute's JSON; text that is not JSON is kept as it is, and reported when the frame is mounted. */
export function readScope(text: string | null): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return text;
  }
}

/**
 * What a thrown value of any kind means: a `status` decides, and without one it was the network. A 401 ends the session, and so does a 403
 * where there was one: the first answer may be a 403 for want of a CSRF token, which no signing in mends. Neither does where
 * the integrator's server only passed on that the platform refused *it*, for which 502 with a code is the better answer.
 */
export function toEmbedError(thrown: unknown, reason: TokenReason): EmbedError {
  if (thrown instanceof EmbedError) return thrown;
  const { status, code, message, error, requestId, issues } = Object(thrown) as ThrownByEndpoint;
  if (!status) {
    // What `fetch` throws says nothing of why: the browser tells only its own console.
    const why = thrown instanceof TypeError ? `${message} (network or CORS; call your own server)` : message;
    return new EmbedError("token_endpoint_failed", true, why);
  }
  const faults = Array.isArray(issues) ? issues.map(({ path, message }) => `${path}: ${message}`) : [];
  const refusal = { status, requestId, issues };
  const where = `(status ${status}${requestId ? `, request ${requestId}` : ""})`;
  const detail = [error, ...faults, where].join(" ").trim();
  if (code && (status === 502 || OWN_REFUSAL.test(code))) return new EmbedError(code, false, detail, refusal);
  if (status === 401 || (status === 403 && reason === "expired"))
    return new EmbedError("session_expired", false, detail, refusal);
  const passing = status >= 500 || status === 408 || status === 429;
  return new EmbedError("token_endpoint_failed", passing, detail, refusal);
}

/** A `Response`, the JSON of one with its status, or an `Error`. */
interface ThrownByEndpoint extends Refusal {
  code?: string;
  message?: string;
  error?: string;
}
