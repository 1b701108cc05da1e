import { revokeEmbedTokens } from "platform-embed-element/server";
import { env } from "$env/dynamic/private";

/** Ends the embed tokens of a user, in all tabs and on all devices. */
export const revokeTokens = (visitor) =>
  revokeEmbedTokens({ apiBaseUrl: env.EMBED_API_BASE_URL, apiKey: env.EMBED_API_KEY, visitor });
