import { hash, timingSafeEqual } from "node:crypto";
import { errors, jwtVerify } from "jose";
import { AppError } from "../app-error";

/** seconds that the queue's clock may be ahead or behind */
const CLOCK_TOLERANCE = 5;

export interface SignatureSettings {
  /** current and next: after a change of keys the queue signs with the one that was next */
  signingKeys: readonly [string, string];
  /** the webhook's public URL, which a signature is made for */
  url: string;
  /** unix seconds */
  nowSeconds: number;
}

/** What a queue's signature promises of the body that comes with it. */
export interface SignedDelivery {
  /** @throws AppError `invalid_signature` when these are not the bytes that were signed */
  checkBody(bytes: Uint8Array): void;
}

/**
 * Judges a queue's signature, before the body is read: an HS256 JWT (the scheme of QStash), with `exp`, `nbf`, `sub` (this
 * webhook's URL) and `body` (base64url SHA-256 of the raw body, padded or not). RFC 7519.
 * @throws AppError `invalid_signature`, the same for whatever is wrong; the log says what
 */
export async function verifyQueueSignature(
  headers: Headers,
  { signingKeys, url, nowSeconds }: SignatureSettings,
): Promise<SignedDelivery> {
  // The second is the name under which the scheme's own queue sends it.
  const token = headers.get("Queue-Signature") ?? headers.get("Upstash-Signature");
  if (token === null) throw invalidSignature("no signature header");

  const issues: string[] = [];
  for (const key of signingKeys) {
    try {
      const { payload } = await jwtVerify<{ body: unknown }>(token, Buffer.from(key), {
        algorithms: ["HS256"],
        requiredClaims: ["exp", "nbf", "sub", "body"],
        subject: url,
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: new Date(nowSeconds * 1000),
      });
      return { checkBody: (bytes) => checkBodyHash(payload.body, bytes) };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      issues.push(`${error.code}: ${error.message}`);
    }
  }
  throw invalidSignature(issues.join("; "));
}

function checkBodyHash(claimed: unknown, bytes: Uint8Array): void {
  const expected = Buffer.from(hash("sha256", bytes, "base64url"));
  const given = Buffer.from(typeof claimed === "string" ? claimed.replace(/=+$/, "") : "");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalidSignature("the body is not the one that was signed");
  }
}

function invalidSignature(logDetail: string): AppError {
  return new AppError("invalid_signature", "The signature of this message is missing or not valid.", {
    logDetail,
  });
}
