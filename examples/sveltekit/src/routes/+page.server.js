import { fail } from "@sveltejs/kit";
import { revokeEmbedTokens } from "platform-embed-element/server";
import { env } from "$env/dynamic/private";
import { createSession, deleteSession } from "$lib/server/session";
import { users } from "$lib/server/users";

export function load({ locals, setHeaders }) {
  setHeaders({ "Cache-Control": "no-store" });
  return {
    name: locals.user?.name,
    users: users.map(({ id, name, isAdmin }) => ({ id, name, isAdmin })),
  };
}

export const actions = {
  /** A stand-in for your own sign-in, which checks a password or asks your identity provider. */
  async signIn({ cookies, locals, request }) {
    const userId = (await request.formData()).get("userId");
    const user = users.find(({ id }) => id === userId);
    if (!user) return fail(400);
    await createSession(cookies, user.id);
    locals.user = user;
  },

  async signOut({ cookies, locals }) {
    const { user } = locals;
    deleteSession(cookies);
    locals.user = undefined;
    if (!user) return;
    // Ends the user's embed tokens on all devices. A device whose session goes on gets a new one.
    // If the platform cannot be reached, the session ends all the same, and the tokens expire by themselves.
    await revokeEmbedTokens({
      apiBaseUrl: env.EMBED_API_BASE_URL,
      apiKey: env.EMBED_API_KEY,
      visitor: user.id,
    }).catch(console.error);
  },
};
