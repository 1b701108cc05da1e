import { LRUCache } from "lru-cache";

/** Scheme, host and port as people type them. The host may be an international domain name, or IPv6 in brackets. */
const TYPED_ORIGIN = /^https?:\/\/(?:[\p{L}\p{M}\p{N}.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?\/?$/iu;
/** A host after URL parsing, without characters that have a meaning in CORS rules (`*`) or headers (`;`, `,`, `'`). */
const PLAIN_HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:]+\])$/;

/**
 * The origin in its normal form (scheme, host and port; lower case; without the default port), or null when `value` is
 * not an origin. Spaces around it do not count. An origin has no path or query (RFC 6454).
 * Hosts consist of letters, digits, `-` and `.`: an origin is written into CORS rules, where `*` matches anything, and
 * into a Content-Security-Policy, where `;` begins a directive.
 */
export function normalizeOrigin(value: string): string | null {
  const origin = normalized.get(value) ?? parseOrigin(value.trim());
  // Only origins are cached: a client has a few, which are normalized with each request.
  if (origin !== null) normalized.set(value, origin);
  return origin;
}

const normalized = new LRUCache<string, string>({ max: 1_000 });

function parseOrigin(value: string): string | null {
  if (!hasShortHost(value) || !TYPED_ORIGIN.test(value) || !URL.canParse(value)) return null;
  // URL parsing turns look-alike letters (full-width, mathematical) into ordinary ones; nobody types them on purpose.
  if (value.normalize("NFKC") !== value.normalize("NFC")) return null;
  const url = new URL(value);
  return PLAIN_HOST.test(url.hostname) ? url.origin : null;
}

/** The normalized origins without duplicates. Entries that are not origins are left out. */
export function normalizeOrigins(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => normalizeOrigin(value) ?? []))];
}

/**
 * The origin of the embedding page: the `Origin` header if there is one, otherwise the origin of `Referer`. Null for neither, and for
 * `Origin: null` (a sandboxed or opaque page), which no list allows.
 */
export function embeddingOriginOf(headers: Headers): string | null {
  const origin = headers.get("Origin");
  if (origin !== null) return normalizeOrigin(origin);
  const referer = headers.get("Referer");
  if (referer === null || !hasShortHost(referer) || !URL.canParse(referer)) return null;
  return normalizeOrigin(new URL(referer).origin);
}

/** A host name has at most 253 characters (RFC 1035). The rest is for a user name in front of it. */
const MAX_AUTHORITY_LENGTH = 300;

/**
 * Whether the host of `url` has a possible length; also true without a host. Check this before parsing a URL: a parser converts
 * international hosts to ASCII (punycode) in a time that grows with the square of their length.
 */
export function hasShortHost(url: string): boolean {
  // As URL parsers do: tabs and line breaks are ignored, and any number of slashes, even none, precedes the host.
  const [, authority = ""] = SPECIAL_URL.exec(url.replace(/[\t\n\r]/g, "")) ?? [];
  return authority.length <= MAX_AUTHORITY_LENGTH;
}

/** The schemes whose host is a domain (WHATWG URL, "special scheme"). Parsers ignore some characters before the scheme. */
const SPECIAL_URL = /^[^a-z]*(?:https?|wss?|ftp|file):[/\\]*([^/?#\\]*)/i;
