/** Why an embed does not render, each with its status and what the page says. docs/contract.md#rendering */
export const refusals = {
  token_missing: {
    status: 401,
    title: "This view has no access token",
    advice:
      "Load the page around it again. Integrators: the frame's address must be the whole URL that POST /api/embed/url answered, with its t parameter.",
  },
  invalid_token: {
    status: 401,
    title: "This view's access token is not valid",
    advice:
      "Load the page around it again. Integrators: pass the URL on unchanged, and sign and verify with the same EMBED_SIGNING_SECRET.",
  },
  token_expired: {
    status: 401,
    title: "This view's access has expired",
    advice:
      "Load the page around it again to go on. Integrators: ask POST /api/embed/url for a new URL for every page view.",
  },
  service_mismatch: {
    status: 403,
    title: "This access token is for another service",
    advice: "Integrators: the service in the frame's address must be the one that the URL was issued for.",
  },
  service_not_enabled: {
    status: 403,
    title: "This service is not enabled yet",
    advice:
      "There is nothing to set right in this page. Integrators: POST /api/embed/url says which services are enabled.",
  },
  referrer_missing: {
    status: 403,
    title: "This view cannot tell which page it is in",
    advice:
      'Integrators: the frame needs referrerpolicy="strict-origin", so that the browser says which origin embeds it.',
  },
  origin_not_allowed: {
    status: 403,
    title: "This page may not show this view",
    advice:
      "Integrators: add this page's origin (scheme, host and port) to the allowed origins of the API key.",
  },
  not_found: {
    status: 404,
    title: "There is nothing at this address",
    advice: "Integrators: the address is /embed/ and the name of a service, on the platform's base URL.",
  },
  rate_limited: {
    status: 429,
    title: "There were too many requests",
    advice: "Wait a minute, then load the page around this view again.",
  },
  unavailable: {
    status: 503,
    title: "This view is not available right now",
    advice: "Try again in a moment. It comes back by itself once the service does.",
  },
  internal: {
    status: 500,
    title: "Something went wrong on our side",
    advice: "Try again in a moment. If it stays like this, quote the request id below.",
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>;

export type RefusalCode = keyof typeof refusals;

/** Thrown by what opens an embed; the page shows its code and the sentence that belongs to it. */
export class EmbedRefusal extends Error {
  override readonly name = "EmbedRefusal";
  readonly code: RefusalCode;
  constructor(code: RefusalCode) {
    super(refusals[code].title);
    this.code = code;
  }
}
