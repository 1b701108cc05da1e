import { env } from "$env/dynamic/private";

/** Ends the embed tokens of a user, in all tabs and on all devices. */
export async function revokeTokens(visitor) {
  const response = await fetch(new URL("/api/embed/revoke", env.EMBED_API_BASE_URL), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": env.EMBED_API_KEY },
    body: JSON.stringify({ visitor }),
    redirect: "error",
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`The platform responded to the revocation with ${response.status}.`);
}
