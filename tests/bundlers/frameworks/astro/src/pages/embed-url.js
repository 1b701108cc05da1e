import { createEmbedHandler } from "platform-embed-element/server";

export const prerender = false;

const handler = createEmbedHandler({
  apiBaseUrl: process.env.EMBED_API_BASE_URL,
  apiKey: process.env.EMBED_API_KEY,
  // Decide from your session what this visitor may see. Return null if nobody is signed in.
  scope: () => ({ bucket: "customer-files", path: "/ada" }),
});

export const POST = (context) => handler(context.request, context);
