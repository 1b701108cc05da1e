/**
 * What can go wrong, each code with a sentence that says what to fix. Other codes are passed on as they are: the frame's (`token_expired`, …), and those of a token
 * endpoint (`invalid_api_key`, …), with its own sentence.
 */
const sentences = {
  not_configured: "Set token-endpoint, fetchToken or src.",
  scope_invalid: "The scope attribute is not JSON.",
  token_endpoint_failed: "The token endpoint did not answer with success.",
  token_endpoint_invalid: "The token endpoint must answer { url, expiresAt, service }.",
  token_expired: "The token endpoint gave an old token. It must not be cached.",
  session_expired: "The token endpoint refused. Sign in again.",
  frame_timeout: "The platform did not send the page.",
  frame_blocked: "The platform may not be shown. Allow it in frame-src, and all pages around in the API key.",
  frame_failed: "What answers is no platform.",
  frame_insecure: "An https page cannot show an http platform.",
  frame_unreachable: "The platform cannot be reached: network, blocker or connect-src.",
  opaque_origin: "Serve this page by http(s), outside a sandbox.",
  referrer_missing:
    "A browser or proxy hides which page this is (Firefox: network.http.referer.XOriginPolicy).",
  service_not_enabled: "The platform does not offer this service.",
  origin_not_allowed: "Add this page's origin to the API key:",
};

/** The codes that the element makes itself; the frame and the token endpoint may report others. */
export type EmbedErrorCode = keyof typeof sentences | (string & {});

/** What a token endpoint, or the platform behind it, has said of its refusal. */
export interface Refusal {
  /** HTTP */
  status?: number;
  /** of the platform's log */
  requestId?: string;
  /** the members that the platform refused */
  issues?: readonly { path: string; message: string }[];
}

/** Why the service is not on the screen, or why its token could not be renewed. */
export class EmbedError extends Error {
  override name = "EmbedError";

  constructor(
    /** stable, for programs */
    readonly code: EmbedErrorCode,
    /** whether the same attempt may succeed later although nothing is changed */
    readonly retryable: boolean,
    detail = "",
    readonly refusal: Refusal = {},
  ) {
    const sentence = refusal.status ? sentences.token_endpoint_failed : "The platform refused.";
    super(`${sentences[code as keyof typeof sentences] ?? sentence} ${detail}`.trim());
  }
}
