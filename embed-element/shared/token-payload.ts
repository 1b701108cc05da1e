/**
 * What a token says (docs/contract.md#embed-tokens); null if it cannot be read. Nothing is allowed by it: the server decides whether a token
 * is valid.
 */
export function readTokenPayload(token: string): Record<string, unknown> | null {
  try {
    const payload = token.slice(0, token.indexOf(".")).replaceAll("-", "+").replaceAll("_", "/");
    return Object(JSON.parse(atob(payload)));
  } catch {
    return null;
  }
}

/**
 * Whom a token is for: equal for all tokens of one visitor of a company, whatever they allow and whichever API key issued them. Tokens
 * without a visitor are for the same if they are for the same folder of the same company. Null if it cannot be read.
 */
export function tokenHolder(token: string): string | null {
  const payload = readTokenPayload(token);
  if (payload === null) return null;
  const { companyId, visitor, scope } = payload;
  const { bucket, path } = Object(scope);
  return JSON.stringify(visitor === undefined ? [companyId, bucket, path] : [companyId, Object(visitor).id]);
}
