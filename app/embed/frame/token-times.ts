/**
 * When the token was issued and when it ends, unix seconds; null when its payload cannot be read. For
 * scheduling only: whether a token is valid is for the server to say.
 */
export function readTimes(token: string): { issuedAt: number; expiresAt: number } | null {
  try {
    const payload = token.slice(0, token.indexOf(".")).replaceAll("-", "+").replaceAll("_", "/");
    const { iat, exp } = JSON.parse(atob(payload)) as { iat?: unknown; exp?: unknown };
    return typeof iat === "number" && typeof exp === "number" ? { issuedAt: iat, expiresAt: exp } : null;
  } catch {
    return null;
  }
}
