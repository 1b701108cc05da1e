import {
  ALGORITHM,
  type Credentials,
  findSecret,
  isSignatureValid,
  parseAuthorization,
  parseCredential,
  parseLongDate,
  type SentSignature,
} from "../sigv4";
import { S3Error } from "./errors";
import type { S3Request } from "./request";

export interface S3Credentials extends Credentials {
  region: string;
}

const MAX_CLOCK_SKEW_MS = 15 * 60 * 1000;
const MAX_EXPIRY_SECONDS = 7 * 24 * 60 * 60;

/** A signature, and what it covers besides the method, the path and the headers. */
interface S3Signature extends SentSignature {
  /** `yyyymmddThhmmssZ` */
  longDate: string;
  payloadHash: string;
  /** without the signature itself */
  query: URLSearchParams;
  /** the error code for a signature that cannot be read */
  malformedCode: "AuthorizationHeaderMalformed" | "AuthorizationQueryParametersError";
}

/**
 * Checks the request's AWS Signature Version 4, in its headers or in its query. Amazon S3 API Reference, "Authenticating
 * Requests (AWS Signature Version 4)". Throws the errors that S3 responds with.
 * @param now Unix milliseconds
 * @returns what was signed in place of the body, which must still be checked against it: its SHA-256 in hexadecimal,
 * `UNSIGNED-PAYLOAD` or `STREAMING-…`
 */
export function authenticate(request: S3Request, credentials: S3Credentials, now: number): string {
  const sent = readSignature(request, now);
  if (sent.algorithm !== ALGORITHM) {
    throw new S3Error(sent.malformedCode, `The only signature algorithm supported is ${ALGORITHM}`);
  }
  const scope = parseCredential(sent.credential);
  if (scope?.service !== "s3" || !sent.longDate.startsWith(`${scope.shortDate}T`)) {
    throw new S3Error(
      sent.malformedCode,
      'The credential is malformed; expecting "<access key>/<date>/<region>/s3/aws4_request", with the date of the request',
    );
  }
  const secretAccessKey = secretOf(scope.accessKeyId, request, credentials, now);
  if (scope.region !== credentials.region) {
    throw new S3Error(
      sent.malformedCode,
      `The region '${scope.region}' is wrong; expecting '${credentials.region}'`,
      { Region: credentials.region },
    );
  }
  refuseUnsignedHeaders(request, sent);
  const { method, path, raw } = request;
  const signed = { ...sent, method, path, headers: raw.headers };
  if (!isSignatureValid(signed, sent, scope, secretAccessKey)) {
    throw new S3Error(
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    );
  }
  return sent.payloadHash;
}

/** Throws InvalidAccessKeyId, InvalidToken and ExpiredToken. */
function secretOf(accessKeyId: string, request: S3Request, credentials: S3Credentials, now: number): string {
  const sessionToken = request.header("x-amz-security-token") ?? request.query.get("X-Amz-Security-Token");
  const found = findSecret(credentials, { accessKeyId, sessionToken: sessionToken ?? undefined }, now);
  if (typeof found === "object") return found.secretAccessKey;
  if (found === "expired") throw new S3Error("ExpiredToken", "The provided token has expired.");
  if (found === "wrong token")
    throw new S3Error("InvalidToken", "The provided token is malformed or otherwise invalid.");
  throw new S3Error(
    "InvalidAccessKeyId",
    "The AWS Access Key Id you provided does not exist in our records.",
  );
}

function readSignature(request: S3Request, now: number): S3Signature {
  const { authorization } = request.raw.headers;
  const isPresigned = request.query.has("X-Amz-Signature") || request.query.has("X-Amz-Algorithm");
  if (authorization !== undefined && isPresigned) {
    throw new S3Error(
      "InvalidArgument",
      "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified",
    );
  }
  if (authorization !== undefined) return readHeaderSignature(request, authorization, now);
  if (isPresigned) return readPresignedSignature(request, now);
  throw new S3Error("AccessDenied", "Access Denied");
}

/** Throws AuthorizationHeaderMalformed, AccessDenied, RequestTimeTooSkewed and InvalidRequest. */
function readHeaderSignature(request: S3Request, authorization: string, now: number): S3Signature {
  const malformedCode = "AuthorizationHeaderMalformed";
  const sent = parseAuthorization(authorization);
  if (!sent) {
    throw new S3Error(
      malformedCode,
      "The authorization header is malformed; it needs Credential, SignedHeaders and Signature",
    );
  }
  const { "x-amz-date": longDate, "x-amz-content-sha256": payloadHash } = request.raw.headers;
  const signedAt = typeof longDate === "string" ? parseLongDate(longDate) : undefined;
  if (typeof longDate !== "string" || signedAt === undefined) {
    throw new S3Error("AccessDenied", "AWS authentication requires a valid Date or x-amz-date header");
  }
  if (Math.abs(now - signedAt) > MAX_CLOCK_SKEW_MS) {
    throw new S3Error(
      "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
      {
        RequestTime: longDate,
        ServerTime: new Date(now).toISOString(),
        MaxAllowedSkewMilliseconds: String(MAX_CLOCK_SKEW_MS),
      },
    );
  }
  if (typeof payloadHash !== "string") {
    throw new S3Error("InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  }
  return { ...sent, longDate, payloadHash, query: request.query, malformedCode };
}

/** Throws AuthorizationQueryParametersError, and AccessDenied for a URL that has expired or is not valid yet. */
function readPresignedSignature(request: S3Request, now: number): S3Signature {
  const malformedCode = "AuthorizationQueryParametersError";
  const read = (name: string): string => {
    const [value, ...more] = request.query.getAll(name);
    if (value && more.length === 0) return value;
    throw new S3Error(
      malformedCode,
      "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.",
    );
  };
  const longDate = read("X-Amz-Date");
  const signedAt = parseLongDate(longDate);
  if (signedAt === undefined) {
    throw new S3Error(
      malformedCode,
      "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"",
    );
  }
  const expires = read("X-Amz-Expires");
  if (!/^[0-9]{1,6}$/.test(expires) || Number(expires) > MAX_EXPIRY_SECONDS) {
    throw new S3Error(
      malformedCode,
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
  if (signedAt > now + MAX_CLOCK_SKEW_MS) {
    throw new S3Error("AccessDenied", "Request is not valid yet", times);
  }
  const query = new URLSearchParams(request.query);
  query.delete("X-Amz-Signature");
  return {
    algorithm: read("X-Amz-Algorithm"),
    credential: read("X-Amz-Credential"),
    signedHeaders: read("X-Amz-SignedHeaders").split(";"),
    signature: read("X-Amz-Signature"),
    longDate,
    payloadHash: request.header("x-amz-content-sha256") ?? "UNSIGNED-PAYLOAD",
    query,
    malformedCode,
  };
}

/** S3 requires that the host and every `x-amz-*` header be signed: otherwise they could be added on the way. */
function refuseUnsignedHeaders(request: S3Request, sent: S3Signature): void {
  const unsigned = Object.keys(request.raw.headers).filter(
    (name) => (name === "host" || name.startsWith("x-amz-")) && !sent.signedHeaders.includes(name),
  );
  if (unsigned.length > 0 || !sent.signedHeaders.includes("host")) {
    throw new S3Error("AccessDenied", "There were headers present in the request which were not signed", {
      HeadersNotSigned: unsigned.join(", "),
    });
  }
}
