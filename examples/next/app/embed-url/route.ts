import { createEmbedHandler } from "platform-embed-element/server";
import { currentUser } from "../../lib/session";
import { scopeOf } from "../../lib/users";

// `<platform-embed>` calls it for its first token and for every renewal.
export const POST = createEmbedHandler({
  apiBaseUrl: process.env.EMBED_API_BASE_URL,
  apiKey: process.env.EMBED_API_KEY,
  async scope() {
    const user = await currentUser();
    return user && scopeOf(user);
  },
  async visitor() {
    const user = await currentUser();
    return user && { id: user.id, name: user.name };
  },
});
