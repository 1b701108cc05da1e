import { AppError, type AppErrorCode } from "../app-error";

/** Why an embed does not render, and what the page says then. docs/contract.md#rendering */
export const refusals = {
  token_missing: {
    title: "This view has no access token",
    advice:
      "Load the page around it again. Integrators: the frame's address must be the whole URL that POST /api/embed/url answered, with its t parameter.",
  },
  invalid_token: {
    title: "This view's access token is not valid",
    advice:
      "Load the page around it again. Integrators: pass the URL on unchanged, and sign and verify with the same EMBED_SIGNING_SECRET.",
  },
  token_expired: {
    title: "This view's access has expired",
    advice:
      "Load the page around it again to go on. Integrators: ask POST /api/embed/url for a new URL for every page view.",
  },
  service_mismatch: {
    title: "This access token is for another service",
    advice: "Integrators: the service in the frame's address must be the one that the URL was issued for.",
  },
  service_not_enabled: {
    title: "This service is not enabled yet",
    advice:
      "There is nothing to set right in this page. Integrators: POST /api/embed/url says which services are enabled.",
  },
  referrer_missing: {
    title: "This view cannot tell which page it is in",
    advice:
      'Integrators: the frame needs referrerpolicy="strict-origin", so that the browser says which origin embeds it.',
  },
  origin_not_allowed: {
    title: "This page may not show this view",
    advice:
      "Integrators: add this page's origin (scheme, host and port) to the allowed origins of the API key.",
  },
  not_found: {
    title: "There is nothing at this address",
    advice: "Integrators: the address is /embed/ and the name of a service, on the platform's base URL.",
  },
  rate_limited: {
    title: "There were too many requests",
    advice: "Wait a minute, then load the page around this view again.",
  },
  unavailable: {
    title: "This view is not available right now",
    advice: "Load the page around it again in a moment.",
  },
  internal: {
    title: "Something went wrong on our side",
    advice: "Try again in a moment. If it stays like this, quote the request id below.",
  },
} as const satisfies Partial<Record<AppErrorCode, { title: string; advice: string }>>;

export type RefusalCode = keyof typeof refusals;

/** What is thrown where an embed may not be shown; the page says what belongs to its code, the log also `logDetail`. */
export function refusal(code: RefusalCode, logDetail?: string): AppError {
  return new AppError(code, refusals[code].title, { logDetail });
}
