/** What the embed page may load, and who may frame it. Decisions, section 6. */
export function contentSecurityPolicy(allowed: {
  nonce: string;
  /** where the browser reads and writes objects; none on a page that shows only a state */
  storeOrigin?: string;
  /** origins that may embed; undefined puts no limit, for pages that hold nothing of anybody's */
  frameAncestors?: readonly string[];
  /** the compiler's reload socket, in development */
  development: boolean;
}): string {
  const { nonce, storeOrigin, frameAncestors, development } = allowed;
  const store = storeOrigin === undefined ? [] : [storeOrigin];
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", `'nonce-${nonce}'`],
    "style-src": ["'self'", `'nonce-${nonce}'`],
    "img-src": ["'self'", "data:", "blob:", ...store],
    "connect-src": ["'self'", ...store, ...(development ? ["ws:"] : [])],
    "font-src": ["'self'"],
    "frame-src": ["blob:", ...store],
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
