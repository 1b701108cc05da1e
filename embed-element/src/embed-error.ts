/** The error codes of the element, each with a sentence that says what to fix. The frame and the token endpoint may report other codes. */
const sentences = {
  not_configured: "Set token-endpoint, fetchToken or src.",
  scope_invalid: "The scope attribute is not JSON.",
  token_endpoint_failed: "The token endpoint responded with an error.",
  token_endpoint_invalid: "The token endpoint must respond with { url, expiresAt, service }.",
  token_expired: "The token endpoint returned an expired token. Its response must not be cached.",
  token_revoked: "The token is revoked.",
  session_expired: "The visitor's session has ended. Sign in again.",
  frame_timeout: "The platform did not load in time.",
  frame_blocked:
    "The browser blocked the frame. Allow it in frame-src, and every embedding page in the API key.",
  frame_failed: "Something other than the platform responds.",
  frame_insecure: "An https page cannot show an http platform.",
  frame_unreachable: "The platform cannot be reached. Check the network, content blockers and connect-src.",
  opaque_origin: "This page has no origin. Serve it by http(s), outside a sandbox.",
  referrer_missing:
    "A browser setting or a proxy removes the Referer header (Firefox: network.http.referer.XOriginPolicy).",
  service_not_enabled: "The platform does not offer this service.",
  invalid_token: "The token is invalid. Use the embed URL as it was issued.",
  origin_not_allowed: "Add this page's origin to the API key: npm run client -- origins add ID",
  folder_not_found: "Nothing in the bucket has this path:",
  scope_not_allowed: "The folder is outside of the token's scope:",
  path_invalid: "This is not a folder path such as /invoices/2026:",
  replaced: "Another folder was opened.",
  not_ready: "Await `ready` first.",
  not_supported: "The platform is too old to do this.",
  ended: "The frame or its session has ended.",
};

/** The codes of the element, and any other that the frame or the token endpoint reports. */
export type EmbedErrorCode = keyof typeof sentences | (string & {});

/** Details of a refusal by the token endpoint, the platform behind it, or the frame. */
export interface Refusal {
  /** the HTTP status */
  status?: number;
  /** for the platform's log */
  requestId?: string;
  /** the members of the request that the platform refused */
  issues?: readonly { path: string; message: string }[];
  /** the folder that could not be opened */
  path?: string;
}

/** Why the service cannot be shown, or why its token could not be renewed. */
export class EmbedError extends Error {
  override name = "EmbedError";

  constructor(
    /** stable, for programs */
    readonly code: EmbedErrorCode,
    /** whether a retry may succeed although nothing is changed */
    readonly retryable: boolean,
    detail = "",
    readonly refusal: Refusal = {},
  ) {
    const about = refusal.status ? "token_endpoint_failed" : code;
    super(
      `${sentences[about as keyof typeof sentences] ?? "The platform refused the request."} ${detail}`.trim(),
    );
  }
}
