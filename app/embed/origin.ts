import { hasShortHost } from "../short-host";

/** Scheme, host and port as a person may type them; the host may be an international domain name, or IPv6 in brackets. */
const TYPED_ORIGIN = /^https?:\/\/(?:[\p{L}\p{M}\p{N}.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?\/?$/iu;
/** A host after URL parsing: what has a meaning of its own in a CORS rule (`*`) or in a header (`;`, `,`, `'`) cannot be in it. */
const PLAIN_HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:]+\])$/;

/**
 * The origin that `value` names, in its one normal form (scheme, host and port; lower case; default port dropped), or null
 * when it names none. Accepts `https://app.example.com` and nothing longer: a path or query would suggest a precision
 * that origins do not have (RFC 6454). Hosts consist of letters, digits, `-` and `.`, because an origin goes as it is into a
 * bucket's CORS rules, where `*` stands for anything, and into a Content-Security-Policy, where `;` begins another directive.
 */
export function normalizeOrigin(value: string): string | null {
  const known = normalized.get(value);
  if (known !== undefined) return known;
  const origin = parseOrigin(value);
  // Only what is one: clients have a few each, and are asked for them all the time.
  if (origin !== null) {
    if (normalized.size >= MAX_KNOWN) normalized.clear();
    normalized.set(value, origin);
  }
  return origin;
}

const MAX_KNOWN = 1_000;
const normalized = new Map<string, string>();

function parseOrigin(value: string): string | null {
  if (!hasShortHost(value) || !TYPED_ORIGIN.test(value) || !URL.canParse(value)) return null;
  // Letters that only look like others (full-width, mathematical) are parsed as those others: nobody types them on purpose.
  if (value.normalize("NFKC") !== value.normalize("NFC")) return null;
  const url = new URL(value);
  return PLAIN_HOST.test(url.hostname) ? url.origin : null;
}

/** The origins that `values` name, in their normal form, each once. An entry that is no origin is left out. */
export function normalizeOrigins(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => normalizeOrigin(value) ?? []))];
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
