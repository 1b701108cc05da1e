import { createEmbedHandler } from "platform-embed-element/server";
import { env } from "$env/dynamic/private";

const handler = createEmbedHandler({
  apiBaseUrl: env.EMBED_API_BASE_URL,
  apiKey: env.EMBED_API_KEY,
  // The demo's photos. In your app, choose the folder by the session. Return null if nobody is signed in.
  scope: () => ({ bucket: "demo-files", path: "/Photos" }),
});

export const POST = (event) => handler(event.request, event);
