import { en } from "../locales/en";
import { AppError, type AppErrorCode } from "../shared/app-error";

/**
 * The reasons why an embed is refused, and what its integrator can do, which is shown on a developer's machine only.
 * The messages for visitors are in the section `refused` of each language. docs/contract.md#rendering
 */
export const refusals = {
  token_missing: "Use the whole URL returned by POST /api/embed/url, including its t parameter.",
  invalid_token: "Pass the URL on unchanged, and use the same EMBED_SIGNING_SECRET everywhere.",
  token_expired: "Request a new URL from POST /api/embed/url for every page view.",
  service_mismatch: "The service in the frame's address must be the one that the URL was issued for.",
  service_not_enabled: "The error of POST /api/embed/url lists the enabled services.",
  referrer_missing:
    'The frame needs referrerpolicy="strict-origin", so that the browser sends the origin that embeds it.',
  origin_not_allowed:
    "Add this page's origin (scheme, host and port) to the API key: npm run client -- origins add ID ORIGIN.",
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
