import { createEmbedHandler } from "platform-embed-element/server";
import { env } from "$env/dynamic/private";

const handler = createEmbedHandler({
  apiBaseUrl: env.EMBED_API_BASE_URL,
  apiKey: env.EMBED_API_KEY,
  // Decide from your session what this visitor may see. Return null if nobody is signed in.
  scope: () => ({ bucket: "customer-files", path: "/ada" }),
});

export const POST = (event) => handler(event.request, event);
