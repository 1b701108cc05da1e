/** Delivers a job to the webhook as the queue would: signed. */
import { createHash } from "node:crypto";
import { SignJWT } from "jose";

/** A signature of `body` for `url`, valid for five minutes. */
export function signDelivery(body: string | Uint8Array, url: string, key: string): Promise<string> {
  return new SignJWT({ body: createHash("sha256").update(body).digest("base64url") })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer("Upstash")
    .setSubject(url)
    .setIssuedAt()
    .setNotBefore("0 seconds")
    .setExpirationTime("5 minutes")
    .setJti(crypto.randomUUID())
    .sign(Buffer.from(key));
}

/** Posts `job` (JSON, or these bytes) with a valid signature. */
export async function deliverJob(
  { apiBaseUrl, signingKey }: { apiBaseUrl: string; signingKey: string },
  job: object | string,
): Promise<Response> {
  const url = `${apiBaseUrl}/api/queue/send-email`;
  const body = typeof job === "string" ? job : JSON.stringify(job);
  return fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Upstash-Signature": await signDelivery(body, url, signingKey),
    },
    body,
  });
}
