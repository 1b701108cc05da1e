"use server";

import { revokeEmbedTokens } from "platform-embed-element/server";
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
  if (!user) return;
  // Ends the user's embed tokens on all devices. A device whose session goes on gets a new one.
  // If the platform cannot be reached, the session ends all the same, and the tokens expire by themselves.
  await revokeEmbedTokens({
    apiBaseUrl: process.env.EMBED_API_BASE_URL,
    apiKey: process.env.EMBED_API_KEY,
    visitor: user.id,
  }).catch(console.error);
}
