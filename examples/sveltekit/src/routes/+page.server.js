import { fail } from "@sveltejs/kit";
import { revokeTokens } from "$lib/server/revoke-tokens";
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
    // The session ends even if the platform cannot be reached. Its tokens then expire by themselves.
    if (user) await revokeTokens(user.id).catch(console.error);
  },
};
