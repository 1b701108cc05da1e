import { ALGORITHM, type Credentials, parseCredential, verifySignature } from "../sigv4";
import { ChunkSignatures, signatureDoesNotMatch } from "./chunk-signatures";
import { S3Error } from "./errors";
import type { S3Request } from "./request";
import { type S3Signature, signatureOfHeader, signatureOfQuery } from "./sent-signature";

export interface S3Credentials extends Credentials {
  region: string;
}

/** What is known of a body before it is read. */
export interface SignedPayload {
  /** hex SHA-256, `UNSIGNED-PAYLOAD` or `STREAMING-…`, which the body has still to be checked against */
  hash: string;
  /** for a body whose chunks are signed */
  signatures: ChunkSignatures;
}

/**
 * Checks the request's AWS Signature Version 4, in its headers or in its query. Throws S3Error as S3 responds (Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)").
 */
export async function authenticate(
  request: S3Request,
  credentials: S3Credentials,
  now: () => number = Date.now,
): Promise<SignedPayload> {
  const authorization = request.raw.headers.authorization;
  const presigned = request.query.has("X-Amz-Signature") || request.query.has("X-Amz-Algorithm");
  if (authorization !== undefined && presigned) {
    throw new S3Error(
      "InvalidArgument",
      "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified",
    );
  }
  if (authorization?.startsWith("AWS ") || request.query.has("AWSAccessKeyId")) {
    throw new S3Error(
      "InvalidRequest",
      "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.",
    );
  }
  if (authorization === undefined && !presigned) throw new S3Error("AccessDenied", "Access Denied");

  const sent =
    authorization === undefined
      ? signatureOfQuery(request, now())
      : signatureOfHeader(request, authorization, now());
  const errorCode =
    authorization === undefined ? "AuthorizationQueryParametersError" : "AuthorizationHeaderMalformed";
  if (sent.algorithm !== ALGORITHM) {
    throw new S3Error(errorCode, `The only signature algorithm supported is ${ALGORITHM}`);
  }
  const credential = parseCredential(sent.credential);
  if (credential?.service !== "s3" || !sent.longDate.startsWith(`${credential.shortDate}T`)) {
    throw new S3Error(
      errorCode,
      'The credential is malformed; expecting "<access key>/<date>/<region>/s3/aws4_request", with the date of the request',
    );
  }
  const { accessKeyId, region } = credential;
  if (accessKeyId !== credentials.accessKeyId) {
    throw new S3Error(
      "InvalidAccessKeyId",
      "The AWS Access Key Id you provided does not exist in our records.",
    );
  }
  if (request.header("x-amz-security-token") !== undefined) {
    throw new S3Error("InvalidToken", "The provided token is malformed or otherwise invalid.");
  }
  if (region !== credentials.region) {
    throw new S3Error(errorCode, `The region '${region}' is wrong; expecting '${credentials.region}'`, {
      Region: credentials.region,
    });
  }
  refuseUnsignedHeaders(request, sent);
  const { method, canonicalPath, raw } = request;
  const signed = { ...sent, method, canonicalPath, headers: raw.headers };
  const verified = await verifySignature(signed, sent, credential, credentials);
  if (!verified) throw signatureDoesNotMatch();
  return {
    hash: sent.payloadHash,
    signatures: new ChunkSignatures(verified.key, sent.longDate, verified.scope, sent.signature),
  };
}

/** S3 asks that the host and every `x-amz-*` header that is sent be signed, else they could be added on the way. */
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
