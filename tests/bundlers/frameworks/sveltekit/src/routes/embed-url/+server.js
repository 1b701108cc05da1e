import { createEmbedHandler } from "platform-embed-element/server";
import { env } from "$env/dynamic/private";

const handler = createEmbedHandler({
  apiBaseUrl: env.EMBED_API_BASE_URL,
  apiKey: env.EMBED_API_KEY,
  // What this visitor may see: take it from your session. For who is not signed in, null.
  scope: () => ({ bucket: "customer-files", path: "/ada" }),
});

export const POST = (event) => handler(event.request, event);
