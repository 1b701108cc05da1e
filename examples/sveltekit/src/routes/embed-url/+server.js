import { createEmbedHandler } from "platform-embed-element/server";
import { env } from "$env/dynamic/private";
import { scopeOf } from "$lib/server/users";

const handler = createEmbedHandler({
  apiBaseUrl: env.EMBED_API_BASE_URL,
  apiKey: env.EMBED_API_KEY,
  scope: (_request, { locals }) => locals.user && scopeOf(locals.user),
  visitor: (_request, { locals }) => ({ id: locals.user.id, name: locals.user.name }),
});

// `<platform-embed>` calls it for its first token and for every renewal.
export const POST = (event) => handler(event.request, event);
