/** characters; proxies refuse responses whose headers have some 4 kB */
const MAX_ANCESTORS_LENGTH = 1_500;

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
