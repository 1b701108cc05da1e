import en from "../locales/en.json";
import { AppError, type AppErrorCode } from "../shared/app-error";
import { grantOf, type TokenSettings, verifyEmbedToken } from "./embed-token.server";
import { type EmbedService, findService, type Grant, type ServiceRegistry } from "./service";

/**
 * For each code with which a page is refused: what its integrator can do. It is shown on a developer's machine only.
 * The messages for visitors are in the section `refused` of each language. docs/contract.md#rendering
 */
export const refusalAdvice = {
  token_missing: "Use the whole URL returned by POST /api/embed/url, including its t parameter.",
  invalid_token: "Pass the URL on unchanged, and use the same EMBED_SIGNING_SECRET everywhere.",
  token_expired: "Request a new URL from POST /api/embed/url for every page view.",
  token_revoked: "Request a new URL. If the API key was revoked, your backend needs another one.",
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

export type RefusalCode = keyof typeof refusalAdvice;

/** The error for a refused page, which shows the message for its code; `logDetail` is for the log. */
export function refusal(code: RefusalCode, logDetail?: string): AppError {
  return new AppError(code, en.refused[code].title, { logDetail });
}

export interface CheckedEmbedRequest {
  service: EmbedService;
  token: string;
  grant: Grant;
  /** origin of the embedding page; one of the token's */
  embeddingOrigin: string;
}

/**
 * Checks a request for `/embed/{service}` before anything is rendered: the service, the token's signature, expiry and
 * service, and the origin of the embedding page. docs/contract.md#rendering
 * @param request.embeddingOrigin origin of the embedding page, null if it is unknown or opaque
 * @throws AppError with a code of `refusalAdvice`
 */
export function checkEmbedRequest(
  request: { service: string; token: string | null; embeddingOrigin: string | null; headers: Headers },
  services: ServiceRegistry,
  { signingSecrets, nowSeconds }: TokenSettings,
): CheckedEmbedRequest {
  const { token, embeddingOrigin, headers } = request;
  const service = findService(services, request.service);
  if (service === undefined) throw refusal("not_found");
  if (service === null) throw refusal("service_not_enabled");
  if (token === null || token === "") throw refusal("token_missing");
  const payload = verifyEmbedToken(token, signingSecrets, nowSeconds);
  if (payload.svc !== service.key) throw refusal("service_mismatch");
  // A sandboxed page sends `Origin: null`. Without `Origin`, no usable `Referer` was sent.
  if (embeddingOrigin === null)
    throw refusal(headers.has("Origin") ? "origin_not_allowed" : "referrer_missing");
  const grant = grantOf(payload, service);
  if (!grant.origins.includes(embeddingOrigin)) throw refusal("origin_not_allowed");
  return { service, token, grant, embeddingOrigin };
}
