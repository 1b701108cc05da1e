import { errors, jwtVerify, SignJWT } from "jose";
import { env } from "$env/dynamic/private";

const NAME = "session";
const MAX_AGE_SECONDS = 7 * 24 * 60 * 60;

function secret() {
  if (!env.SESSION_SECRET) throw new Error("SESSION_SECRET is not set.");
  return new TextEncoder().encode(env.SESSION_SECRET);
}

export async function createSession(cookies, userId) {
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(userId)
    .setExpirationTime(`${MAX_AGE_SECONDS}s`)
    .sign(secret());
  cookies.set(NAME, token, {
    path: "/",
    maxAge: MAX_AGE_SECONDS,
    httpOnly: true,
    sameSite: "lax",
    secure: env.COOKIE_SECURE !== "false",
  });
}

/** Returns the id of the user who is signed in, or undefined. */
export async function readSession(cookies) {
  const token = cookies.get(NAME);
  if (!token) return undefined;
  try {
    const { payload } = await jwtVerify(token, secret(), { algorithms: ["HS256"] });
    return payload.sub;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined; // expired, or not signed by us
    throw error;
  }
}

export function deleteSession(cookies) {
  cookies.delete(NAME, { path: "/" });
}
