import { EmbedError, type Refusal } from "./embed-error.js";
import {
  type FetchToken,
  INTEGRATOR_ERROR,
  type TokenAnswer,
  type TokenReason,
  type TokenRequest,
} from "./token-types.js";

export type { FetchToken, TokenAnswer, TokenReason, TokenRequest } from "./token-types.js";

/** A validated response. */
export interface IssuedToken {
  url: URL;
  token: string;
  expiresAt: number;
}

/** Requests tokens from the integrator's endpoint: POST, JSON, with the page's own cookies. */
export function fromEndpoint(endpoint: string): FetchToken {
  return async ({ signal, ...body }) => {
    const response = await fetch(endpoint, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    // Without the query: that of a sign-in page may hold credentials, and this URL goes into logs.
    const [url] = response.url.split("?");
    if (!response.ok) {
      const { status } = response;
      throw {
        requestId: response.headers.get("X-Request-Id"),
        // Replaced by the response's own `error`, if it has one.
        error: status === 403 ? `${url} (CSRF?)` : url,
        ...(await response.json().catch(() => null)),
        status,
      };
    }
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      // Backends often redirect to a sign-in page when the session has ended, which is HTML with status 200.
      const code = response.redirected ? "session_expired" : "token_endpoint_invalid";
      throw new EmbedError(code, false, `(${url})`);
    }
  };
}

/**
 * Gets a token and validates the response: it must be for the requested service, with an http(s) URL that holds a token.
 * `expiresAt` is only passed on, because it is by the platform's clock, which this page does not know.
 * @throws {EmbedError} `token_endpoint_invalid`, or `not_configured` if there is no `fetchToken`
 */
export async function requestToken(
  fetchToken: FetchToken | null,
  request: TokenRequest,
): Promise<IssuedToken> {
  if (!fetchToken) throw new EmbedError("not_configured", false);
  const response: Partial<TokenAnswer> | null = await fetchToken(request);
  const url = readEmbedUrl(response?.url, request.service);
  if (!url || response?.service !== request.service) throw new EmbedError("token_endpoint_invalid", false);
  return { url, token: url.searchParams.get("t") ?? "", expiresAt: Number(response.expiresAt) };
}

/** Parses the embed URL of `service`. Null unless it is an http(s) URL with a token. */
export function readEmbedUrl(text: unknown, service: string): URL | null {
  try {
    const url = new URL(String(text), document.baseURI);
    const isEmbedPage = /^https?:$/.test(url.protocol) && url.pathname.endsWith(`/embed/${service}`);
    return isEmbedPage && url.searchParams.get("t") ? url : null;
  } catch {
    return null;
  }
}

/** Parses the `scope` attribute. Text that is not JSON is returned as it is, and reported when the frame is mounted. */
export function readScope(text: string | null): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return text;
  }
}

/**
 * Turns whatever `fetchToken` threw into an `EmbedError`. Without a `status` it was the network.
 *
 * A 401 ends the session. A 403 does so only at a renewal: the first response may be a 403 because a CSRF token is missing,
 * and signing in would not help. Neither ends the session if the code says that the platform refused the integrator's
 * server: such a server should respond with 502.
 */
export function toEmbedError(thrown: unknown, reason: TokenReason): EmbedError {
  if (thrown instanceof EmbedError) return thrown;
  const { status, code, message, error, requestId, issues } = Object(thrown) as ThrownByEndpoint;
  if (!status) {
    // The error of `fetch` does not say why: browsers tell only their own console.
    const why = thrown instanceof TypeError ? `${message} (network or CORS; call your own server)` : message;
    return new EmbedError("token_endpoint_failed", true, why);
  }
  const problems = Array.isArray(issues) ? issues.map(({ path, message }) => `${path}: ${message}`) : [];
  const refusal = { status, requestId, issues };
  const where = `(status ${status}${requestId ? `, request ${requestId}` : ""})`;
  const detail = [error, ...problems, where].join(" ").trim();
  if (code && (status === 502 || INTEGRATOR_ERROR.test(code)))
    return new EmbedError(code, false, detail, refusal);
  if (status === 401 || (status === 403 && reason === "expired"))
    return new EmbedError("session_expired", false, status === 401 ? where : detail);
  const isTemporary = status >= 500 || status === 408 || status === 429;
  return new EmbedError("token_endpoint_failed", isTemporary, detail, refusal);
}

/** A `Response`, the JSON of one with its status, or an `Error`. */
interface ThrownByEndpoint extends Refusal {
  code?: string;
  message?: string;
  error?: string;
}
