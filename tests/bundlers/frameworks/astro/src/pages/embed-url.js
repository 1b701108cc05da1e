import { createEmbedHandler } from "platform-embed-element/server";

export const prerender = false;

const handler = createEmbedHandler({
  apiBaseUrl: process.env.EMBED_API_BASE_URL,
  apiKey: process.env.EMBED_API_KEY,
  // What this visitor may see: take it from your session. For who is not signed in, null.
  scope: () => ({ bucket: "customer-files", path: "/ada" }),
});

export const POST = (context) => handler(context.request, context);
