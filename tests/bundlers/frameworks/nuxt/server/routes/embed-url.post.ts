import { createEmbedHandler } from "platform-embed-element/server";

const handler = createEmbedHandler({
  apiBaseUrl: process.env.EMBED_API_BASE_URL,
  apiKey: process.env.EMBED_API_KEY,
  expiresInSeconds: 15,
  scope: () => ({ bucket: "mine" }),
});

export default defineEventHandler((event) => handler(toWebRequest(event), event));
