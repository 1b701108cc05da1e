/** What the embed page may load, and who may frame it. docs/contract.md#rendering */
export function contentSecurityPolicy(allowed: {
  nonce: string;
  /** where the service's view reads and writes, and its images, videos and sounds are; none on a page that shows only a state */
  connectSources?: readonly string[];
  /** origins that may embed; undefined puts no limit, for pages that hold nothing of anybody's */
  frameAncestors?: readonly string[];
  /** the compiler's reload socket, in development */
  development: boolean;
}): string {
  const { nonce, connectSources: sources = [], frameAncestors, development } = allowed;
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", `'nonce-${nonce}'`],
    "style-src": ["'self'", `'nonce-${nonce}'`],
    "img-src": ["'self'", "data:", "blob:", ...sources],
    // Video and audio are played from the store itself.
    "media-src": sources.length === 0 ? ["'none'"] : sources,
    "connect-src": ["'self'", ...sources, ...(development ? ["ws:"] : [])],
    "font-src": ["'self'"],
    // Archives are downloaded from an address of ours that a service worker answers.
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
