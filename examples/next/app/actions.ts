"use server";

import { revokeTokens } from "../lib/revoke-tokens";
import { createSession, currentUser, deleteSession } from "../lib/session";
import { users } from "../lib/users";

/** A stand-in for your own sign-in, which checks a password or asks your identity provider. */
export async function signIn(form: FormData) {
  const user = users.find(({ id }) => id === form.get("userId"));
  if (!user) throw new Error("There is no such user.");
  await createSession(user.id);
}

export async function signOut() {
  const user = await currentUser();
  await deleteSession();
  // The session ends even if the platform cannot be reached. Its tokens then expire by themselves.
  if (user) await revokeTokens(user.id).catch(console.error);
}
