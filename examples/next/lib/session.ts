import { errors, jwtVerify, SignJWT } from "jose";
import { cookies } from "next/headers";
import { users } from "./users";

const NAME = "session";
const MAX_AGE_SECONDS = 7 * 24 * 60 * 60;

function secret() {
  if (!process.env.SESSION_SECRET) throw new Error("SESSION_SECRET is not set.");
  return new TextEncoder().encode(process.env.SESSION_SECRET);
}

export async function createSession(userId: string) {
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(userId)
    .setExpirationTime(`${MAX_AGE_SECONDS}s`)
    .sign(secret());
  (await cookies()).set(NAME, token, {
    path: "/",
    maxAge: MAX_AGE_SECONDS,
    httpOnly: true,
    sameSite: "lax",
    secure: process.env.COOKIE_SECURE !== "false",
  });
}

export async function deleteSession() {
  (await cookies()).delete(NAME);
}

/** Returns who is signed in, or undefined. */
export async function currentUser() {
  const token = (await cookies()).get(NAME)?.value;
  if (!token) return undefined;
  try {
    const { payload } = await jwtVerify(token, secret(), { algorithms: ["HS256"] });
    return users.find(({ id }) => id === payload.sub);
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined; // expired, or not signed by us
    throw error;
  }
}
