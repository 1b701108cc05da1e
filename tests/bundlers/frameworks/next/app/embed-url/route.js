import { createEmbedHandler } from "platform-embed-element/server";

export const POST = createEmbedHandler({
  apiBaseUrl: process.env.EMBED_API_BASE_URL,
  apiKey: process.env.EMBED_API_KEY,
  expiresInSeconds: 15,
  scope: () => ({ bucket: "mine" }),
});
