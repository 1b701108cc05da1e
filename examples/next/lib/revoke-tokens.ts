import { revokeEmbedTokens } from "platform-embed-element/server";

/** Ends the embed tokens of a user, in all tabs and on all devices. */
export const revokeTokens = (visitor: string) =>
  revokeEmbedTokens({
    apiBaseUrl: process.env.EMBED_API_BASE_URL,
    apiKey: process.env.EMBED_API_KEY,
    visitor,
  });
