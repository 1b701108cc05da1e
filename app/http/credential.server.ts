import { currentRequest } from "../request-context.server";
import type { RateLimitKind } from "./rate-limits.server";

/**
 * What a request is counted under: the key or bearer token that it came with (each has been judged by now), the embed token in
 * its body, else its caller's address. Where an endpoint is guarded and no key came, the deployment has said that something in
 * front guards it: then whoever comes from there is counted as a key is.
 */
export function credentialOf(
  request: Request,
  body: unknown,
  isGuarded: boolean,
): { kind: RateLimitKind; identity: string } {
  const key = request.headers.get("X-Api-Key") ?? request.headers.get("Authorization");
  if (key !== null) return { kind: "key", identity: key };
  if (typeof body === "object" && body !== null && "token" in body && typeof body.token === "string") {
    return { kind: "token", identity: body.token };
  }
  return { kind: isGuarded ? "key" : "address", identity: currentRequest()?.callerAddress ?? "unknown" };
}
