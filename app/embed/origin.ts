import { hasShortHost } from "../short-host";

/**
 * The origin that `value` names, in its one normal form (scheme, host and port; lower case; default port dropped), or null
 * when it names none. Accepts `https://app.example.com` and nothing longer: a path or query would suggest a precision
 * that origins do not have. Decisions, section 6; RFC 6454.
 */
export function normalizeOrigin(value: string): string | null {
  if (!hasShortHost(value) || !URL.canParse(value)) return null;
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  if (url.username !== "" || url.password !== "" || /[?#\\\s]/.test(value)) return null;
  if (url.pathname !== "/") return null;
  return url.origin;
}

/** Whether `origin` is on `allowed`, compared whole. An entry that is no origin allows nothing. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const wanted = normalizeOrigin(origin);
  return wanted !== null && allowed.some((entry) => normalizeOrigin(entry) === wanted);
}

/**
 * The origin of the page that embeds: the `Origin` header if there is one, else the origin of `Referer`, else null.
 * `Origin: null` (a sandboxed or opaque parent) is an origin that is on no list, so it stays null.
 */
export function parentOriginOf(headers: Headers): string | null {
  const origin = headers.get("Origin");
  if (origin !== null) return normalizeOrigin(origin);
  const referer = headers.get("Referer");
  if (referer === null || !hasShortHost(referer) || !URL.canParse(referer)) return null;
  return normalizeOrigin(new URL(referer).origin);
}
