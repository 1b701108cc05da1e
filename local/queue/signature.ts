/** Signs a delivery as QStash does, for the local queue and for tests. */
import { createHash, randomUUID } from "node:crypto";
import { SignJWT } from "jose";

/** Returns the header `Upstash-Signature` for a delivery of `body` to `url`, valid for five minutes. */
export function signDelivery(body: string | Uint8Array, url: string, signingKey: string): Promise<string> {
  return new SignJWT({ body: createHash("sha256").update(body).digest("base64url") })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer("Upstash")
    .setSubject(url)
    .setIssuedAt()
    .setNotBefore("0 seconds")
    .setExpirationTime("5 minutes")
    .setJti(randomUUID())
    .sign(Buffer.from(signingKey));
}
