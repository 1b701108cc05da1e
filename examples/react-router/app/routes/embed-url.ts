import { createEmbedHandler } from "platform-embed-element/server";
import { currentUser } from "../session.server";
import { scopeOf } from "../users.server";
import type { Route } from "./+types/embed-url";

const handler = createEmbedHandler({
  apiBaseUrl: process.env.EMBED_API_BASE_URL,
  apiKey: process.env.EMBED_API_KEY,
  async scope(request) {
    const user = await currentUser(request);
    return user && scopeOf(user);
  },
  async visitor(request) {
    const user = await currentUser(request);
    return user && { id: user.id, name: user.name };
  },
});

// `<platform-embed>` calls it for its first token and for every renewal.
export const action = ({ request }: Route.ActionArgs) => handler(request);
