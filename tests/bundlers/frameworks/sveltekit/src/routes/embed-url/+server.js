import { createEmbedHandler } from "platform-embed-element/server";
import { env } from "$env/dynamic/private";

const handler = createEmbedHandler({
  apiBaseUrl: env.EMBED_API_BASE_URL,
  apiKey: env.EMBED_API_KEY,
  expiresInSeconds: 15,
  scope: () => ({ bucket: "mine" }),
});

export const POST = (event) => handler(event.request, event);
