import { ConfigurationError } from "./embed-url-error.js";
import { type PlatformAccess, requestPlatform } from "./request-platform.js";

export interface RevokeEmbedTokensOptions extends PlatformAccess {
  /** the id that you pass as `visitor` when you issue embed URLs */
  visitor: string;
  signal?: AbortSignal;
}

/**
 * Ends all tokens that were issued for a visitor until now, on all devices: `POST /api/embed/revoke`. Every server of the platform refuses them
 * within 5 seconds. First let your token endpoint refuse the visitor: an element whose session goes on gets a new token.
 * @returns unix seconds: tokens that were issued before are refused
 * @throws EmbedUrlError when the platform does not revoke them; ConfigurationError, a TypeError, when an option is missing or invalid
 */
export async function revokeEmbedTokens({
  visitor,
  signal,
  ...access
}: RevokeEmbedTokensOptions): Promise<{ revokedBefore: number }> {
  if (typeof visitor !== "string" || visitor === "")
    throw new ConfigurationError("visitor is empty. Whose tokens are to end?");
  const { body, invalid } = await requestPlatform("api/embed/revoke", JSON.stringify({ visitor }), {
    ...access,
    signal,
  });
  const { revokedBefore } = body as { revokedBefore?: unknown };
  if (typeof revokedBefore !== "number") throw invalid();
  return { revokedBefore };
}
