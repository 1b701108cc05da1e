import { normalizeOrigin } from "../embed/origin";
import { AppError } from "../shared/app-error";

/**
 * CORS of the endpoints that take an embed token: pages of integrators may call them. The token in the body is the authority, and no
 * cookie is involved, so browsers may show any page the response, and the server refuses the pages that the token does not name.
 * docs/decisions/0168-pages-of-integrators-call-the-storage-endpoints.md
 */

/** How long a browser may cache a preflight, seconds: Chromium caches none for longer. */
const MAX_AGE_SECONDS = 7_200;

/** Every response is readable, also a refusal: a page has to know when its token has expired. */
export function readableByPages(response: Response): Response {
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id");
  return response;
}

/** The response to a preflight. There is no credential in it, so nothing is checked. */
export function preflightResponse(): Response {
  const headers = {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Max-Age": String(MAX_AGE_SECONDS),
  };
  return readableByPages(new Response(null, { status: 204, headers }));
}

/**
 * Refuses a page that is neither ours nor one of the token's. Programs that are no browser send no `Origin`.
 * @param allowed the token's origins, normalized
 * @throws AppError `origin_not_allowed`
 */
export function checkOrigin(
  { headers }: Request,
  allowed: readonly string[],
  { platformBaseUrl }: { platformBaseUrl: string },
): void {
  const header = headers.get("Origin");
  if (header === null) return;
  const origin = normalizeOrigin(header);
  if (origin !== null && (origin === normalizeOrigin(platformBaseUrl) || allowed.includes(origin))) return;
  throw new AppError(
    "origin_not_allowed",
    "The embed token is not for pages of this origin. Add the origin to the API key, and request a new token.",
  );
}
