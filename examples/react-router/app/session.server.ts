import { createCookieSessionStorage } from "react-router";
import { users } from "./users.server";

const { SESSION_SECRET, COOKIE_SECURE } = process.env;
if (!SESSION_SECRET) throw new Error("SESSION_SECRET is not set.");

export const { getSession, commitSession, destroySession } = createCookieSessionStorage<{ userId: string }>({
  cookie: {
    name: "session",
    secrets: [SESSION_SECRET],
    maxAge: 7 * 24 * 60 * 60,
    httpOnly: true,
    sameSite: "lax",
    secure: COOKIE_SECURE !== "false",
  },
});

/** Returns who is signed in, or undefined. */
export async function currentUser(request: Request) {
  const session = await getSession(request.headers.get("Cookie"));
  return users.find(({ id }) => id === session.get("userId"));
}
