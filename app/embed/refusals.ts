import { en } from "../locales/en";
import { AppError, type AppErrorCode } from "../shared/app-error";

/**
 * The reasons why an embed is refused, and what its integrator can do, which is shown on a developer's machine only.
 * The messages for visitors are in the section `refused` of each language. docs/contract.md#rendering
 */
export const refusals = {
  token_missing:
    "The frame's address must be the whole URL that POST /api/embed/url answered, with its t parameter.",
  invalid_token: "Pass the URL on unchanged, and sign and verify with the same EMBED_SIGNING_SECRET.",
  token_expired: "Ask POST /api/embed/url for a new URL for every page view.",
  service_mismatch: "The service in the frame's address must be the one that the URL was issued for.",
  service_not_enabled: "POST /api/embed/url says which services are enabled.",
  referrer_missing:
    'The frame needs referrerpolicy="strict-origin", so that the browser says which origin embeds it.',
  origin_not_allowed: "Add this page's origin (scheme, host and port) to the allowed origins of the API key.",
  not_found: "The address is /embed/ and the name of a service, on the platform's base URL.",
  rate_limited: null,
  unavailable: null,
  internal: null,
} as const satisfies Partial<Record<AppErrorCode, string | null>>;

export type RefusalCode = keyof typeof refusals;

/** The error for a refused embed. The page shows the message for its code; `logDetail` is for the log. */
export function refusal(code: RefusalCode, logDetail?: string): AppError {
  return new AppError(code, en.refused[code].title, { logDetail });
}
