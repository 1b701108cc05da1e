/**
 * What can go wrong, each code with a sentence that says what to fix. A code of the frame's that is not in this table
 * (`service_not_enabled`, …) is passed on as it is.
 */
const sentences = {
  not_configured: "Set token-endpoint, fetchToken or src.",
  scope_invalid: "The scope attribute is not a JSON object.",
  token_endpoint_failed: "The token endpoint did not answer with success.",
  token_endpoint_invalid:
    "The token endpoint must answer { url, expiresAt, service } as the platform issued them.",
  session_expired: "The token endpoint refused. Sign in again.",
  frame_timeout: "The platform did not send the page in time.",
  frame_blocked:
    "The platform may not be shown here. Allow it in this page's frame-src, and every page around it in allowed_origins.",
  frame_unreachable: "The platform cannot be reached.",
  referrer_missing:
    "The browser hides which page embeds the platform. Serve the page by http(s) and outside an opaque sandbox.",
  invalid_api_key: "The platform does not know the API key of the token endpoint.",
  service_not_allowed: "The API key is not allowed this service.",
  service_not_enabled: "The platform does not offer this service yet.",
  scope_not_allowed: "The API key is not allowed this scope.",
  origin_not_allowed: "Add this page's origin to the client's allowed_origins.",
};

/** The codes that the element makes itself; the frame may report others. */
export type EmbedErrorCode = keyof typeof sentences | (string & {});

/** Why the service is not on the screen, or why its token could not be renewed. */
export class EmbedError extends Error {
  override name = "EmbedError";

  constructor(
    /** stable, for programs */
    readonly code: EmbedErrorCode,
    /** whether the same attempt may succeed later although nothing is changed */
    readonly retryable: boolean,
    detail = "",
  ) {
    super(`${sentences[code as keyof typeof sentences] ?? "The platform refused."} ${detail}`.trim());
  }
}
