import { createEmbedHandler } from "platform-embed-element/server";

export const POST = createEmbedHandler({
  apiBaseUrl: process.env.EMBED_API_BASE_URL,
  apiKey: process.env.EMBED_API_KEY,
  // The demo's photos. In your app, choose the folder by the session. Return null if nobody is signed in.
  scope: () => ({ bucket: "demo-files", path: "/Photos" }),
});
