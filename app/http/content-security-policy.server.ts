/** characters; proxies refuse responses whose headers have some 4 kB */
const MAX_ANCESTORS_LENGTH = 1_500;

/** The embed page's policy: what it may load, and which origins may frame it. docs/contract.md#rendering */
export function contentSecurityPolicy(allowed: {
  nonce: string;
  /** origins that the service's view reads from and writes to; none on a page that only shows a message */
  connectSources?: readonly string[];
  /** origins that may embed the page; undefined means all, for pages without anybody's data */
  frameAncestors?: readonly string[];
  /** allows the WebSocket of Remix's live reload */
  development: boolean;
}): string {
  const { nonce, connectSources: sources = [], frameAncestors, development } = allowed;
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", `'nonce-${nonce}'`],
    "style-src": ["'self'", `'nonce-${nonce}'`],
    "img-src": ["'self'", "data:", "blob:", ...sources],
    // Video and audio are loaded from the store directly.
    "media-src": sources.length === 0 ? ["'none'"] : sources,
    "connect-src": ["'self'", ...sources, ...(development ? ["ws:"] : [])],
    "font-src": ["'self'"],
    // Archives are downloaded from our URL, where a service worker responds.
    "frame-src": ["'self'", "blob:", ...sources],
    "worker-src": ["'self'", "blob:"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    ...(frameAncestors === undefined
      ? {}
      : { "frame-ancestors": frameAncestors.length === 0 ? ["'none'"] : frameAncestors }),
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}

/**
 * The origins that may frame the page: all that are allowed, because the embedding page may itself be framed by another of them. If they are
 * too many for a header, the one that asks.
 */
export function frameAncestorsOf(
  embeddingOrigin: string,
  allowedOrigins: readonly string[],
): readonly string[] {
  return allowedOrigins.join(" ").length > MAX_ANCESTORS_LENGTH ? [embeddingOrigin] : allowedOrigins;
}
