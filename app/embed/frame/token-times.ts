/**
 * When the token was issued and when it ends, unix seconds; null when its payload cannot be read. For
 * scheduling only: whether a token is good is the server's to say.
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

/** When this page was asked for, on `performance.now()`'s clock: the server rendered it after that. */
export function requestStart(): number {
  const [navigation] = performance.getEntriesByType?.("navigation") ?? [];
  return navigation && "requestStart" in navigation ? Number(navigation.requestStart) : performance.now();
}
