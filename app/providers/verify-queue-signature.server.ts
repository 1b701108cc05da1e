import { hash, timingSafeEqual } from "node:crypto";
import { errors, jwtVerify } from "jose";
import { AppError } from "../shared/app-error";

/** How far the queue's clock may differ. */
const CLOCK_TOLERANCE_SECONDS = 5;

interface SignatureSettings {
  /** current and next: when keys are rotated, the queue signs with the next one */
  signingKeys: readonly [string, string];
  /** public URL of the job endpoint; signatures for another URL are refused */
  url: string;
  /** Unix time */
  nowSeconds: number;
}

/** A valid signature, which still has to be compared with the body. */
interface SignedDelivery {
  /** @throws AppError `invalid_signature` if `bytes` is not the signed body */
  checkBody(bytes: Uint8Array): void;
}

/**
 * Verifies the queue's signature before the body is read. It is an HS256 JWT (RFC 7519), as QStash makes it. Its claims are `exp`,
 * `nbf`, `sub` (the job endpoint's URL) and `body` (the SHA-256 of the raw body in base64url, with or without padding). docs/decisions/0012
 * @throws AppError `invalid_signature`, the same for every reason; the reason is only logged
 */
export async function verifyQueueSignature(
  headers: Headers,
  { signingKeys, url, nowSeconds }: SignatureSettings,
): Promise<SignedDelivery> {
  // QStash itself sends the second one.
  const token = headers.get("Queue-Signature") ?? headers.get("Upstash-Signature");
  if (token === null) throw invalidSignature("no signature header");

  const issues: string[] = [];
  for (const key of signingKeys) {
    try {
      const { payload } = await jwtVerify<{ body: unknown }>(token, Buffer.from(key), {
        algorithms: ["HS256"],
        requiredClaims: ["exp", "nbf", "sub", "body"],
        subject: url,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
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

function checkBodyHash(signed: unknown, bytes: Uint8Array): void {
  const expected = Buffer.from(hash("sha256", bytes, "base64url"));
  const given = Buffer.from(typeof signed === "string" ? signed.replace(/=+$/, "") : "");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalidSignature("the body is not the one that was signed");
  }
}

function invalidSignature(logDetail: string): AppError {
  return new AppError("invalid_signature", "The signature of this message is missing or not valid.", {
    logDetail,
  });
}
