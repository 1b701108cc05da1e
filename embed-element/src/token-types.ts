/** Codes of 401 and 403 responses that concern the integrator's server, not the visitor's session. */
export const INTEGRATOR_ERROR = /^((invalid_)?api_key|(service|scope|origin)_not_|cross_site)/;

/** Why a token is requested: it is the first, the frame's token expires, or a visitor or script asked for it. */
export type TokenReason = "initial" | "expired" | "manual";

/** The argument of `fetchToken`. All members but `signal` are the JSON body that the token endpoint receives. */
export interface TokenRequest {
  service: string;
  /** the element's `scope`; absent if it has none */
  scope?: unknown;
  reason: TokenReason;
  /** aborted after 30 seconds, and when the element is removed */
  signal: AbortSignal;
}

/** The response of the platform's `POST /api/embed/url`, passed on unchanged. */
export interface TokenAnswer {
  /** `{platform_base_url}/embed/<service>?t=<token>` */
  url: string;
  /** unix seconds, by the platform's clock */
  expiresAt: number;
  service: string;
}

/**
 * Gets a new embed URL. Throw an object with a `status`, for example a `Response`, to report a failure: 401 ends the session,
 * and another 4xx is final, except 408 and 429. So is a 502 with a `code`. Everything else is retried.
 */
export type FetchToken = (request: TokenRequest) => Promise<TokenAnswer>;
