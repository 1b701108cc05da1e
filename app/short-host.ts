/** A host name has at most 253 characters (RFC 1035), and a user's name before it, which few have, some. */
const MAX_AUTHORITY_LENGTH = 300;

/**
 * Whether the host in `url` is no longer than hosts can be; also true where there is none. To be asked before a URL is parsed: a
 * parser turns a host of other letters into ASCII (punycode), in a time that grows with the square of the host's length.
 */
export function hasShortHost(url: string): boolean {
  // As parsers read it: tabs and line breaks count for nothing, and any number of slashes, even none, comes before the host.
  const [, authority = ""] = SPECIAL_URL.exec(url.replace(/[\t\n\r]/g, "")) ?? [];
  return authority.length <= MAX_AUTHORITY_LENGTH;
}

/** The schemes whose host is a domain. WHATWG URL, "special scheme". Anything may be before it that parsers drop. */
const SPECIAL_URL = /^[^a-z]*(?:https?|wss?|ftp|file):[/\\]*([^/?#\\]*)/i;
