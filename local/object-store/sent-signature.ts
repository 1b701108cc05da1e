import { parseAuthorization, parseLongDate, type SentSignature, type SignedRequest } from "../sigv4";
import { S3Error } from "./errors";
import type { S3Request } from "./request";

/** A signature as a request to the store brings it, wherever it does, and what it was computed over. */
export type S3Signature = SentSignature & Pick<SignedRequest, "longDate" | "payloadHash" | "query">;

const SKEW_MS = 15 * 60 * 1000;
const LONGEST_EXPIRY_S = 7 * 24 * 60 * 60;

/** From the `Authorization` header. Throws AuthorizationHeaderMalformed, AccessDenied, RequestTimeTooSkewed, InvalidRequest. */
export function signatureOfHeader(request: S3Request, authorization: string, now: number): S3Signature {
  const sent = parseAuthorization(authorization);
  if (!sent) {
    throw new S3Error(
      "AuthorizationHeaderMalformed",
      "The authorization header is malformed; it needs Credential, SignedHeaders and Signature",
    );
  }
  const longDate = request.raw.headers["x-amz-date"];
  const signedAt = typeof longDate === "string" ? parseLongDate(longDate) : undefined;
  if (typeof longDate !== "string" || signedAt === undefined) {
    throw new S3Error("AccessDenied", "AWS authentication requires a valid Date or x-amz-date header");
  }
  if (Math.abs(now - signedAt) > SKEW_MS) {
    throw new S3Error(
      "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
      {
        RequestTime: longDate,
        ServerTime: new Date(now).toISOString(),
        MaxAllowedSkewMilliseconds: String(SKEW_MS),
      },
    );
  }
  const payloadHash = request.raw.headers["x-amz-content-sha256"];
  if (typeof payloadHash !== "string") {
    throw new S3Error("InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  }
  return { ...sent, longDate, payloadHash, query: request.query };
}

/** From the query of a presigned URL. Throws AuthorizationQueryParametersError, and AccessDenied outside its time. */
export function signatureOfQuery(request: S3Request, now: number): S3Signature {
  const read = (name: string): string => {
    const [value, ...more] = request.query.getAll(name);
    if (!value || more.length > 0) {
      throw new S3Error(
        "AuthorizationQueryParametersError",
        "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.",
      );
    }
    return value;
  };
  const longDate = read("X-Amz-Date");
  const signedAt = parseLongDate(longDate);
  const expires = read("X-Amz-Expires");
  if (signedAt === undefined) {
    throw new S3Error(
      "AuthorizationQueryParametersError",
      "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"",
    );
  }
  if (!/^[0-9]{1,6}$/.test(expires) || Number(expires) > LONGEST_EXPIRY_S) {
    throw new S3Error(
      "AuthorizationQueryParametersError",
      "X-Amz-Expires must be a number of seconds, at least 0 and at most 604800 (a week)",
    );
  }
  const expiresAt = signedAt + Number(expires) * 1000;
  const times = {
    "X-Amz-Expires": expires,
    Expires: new Date(expiresAt).toISOString(),
    ServerTime: new Date(now).toISOString(),
  };
  if (now > expiresAt) throw new S3Error("AccessDenied", "Request has expired", times);
  if (signedAt > now + SKEW_MS) throw new S3Error("AccessDenied", "Request is not valid yet", times);

  const signedQuery = new URLSearchParams(request.query);
  signedQuery.delete("X-Amz-Signature");
  return {
    algorithm: read("X-Amz-Algorithm"),
    credential: read("X-Amz-Credential"),
    signedHeaders: read("X-Amz-SignedHeaders").split(";"),
    signature: read("X-Amz-Signature"),
    longDate,
    payloadHash: request.header("x-amz-content-sha256") ?? "UNSIGNED-PAYLOAD",
    query: signedQuery,
  };
}
