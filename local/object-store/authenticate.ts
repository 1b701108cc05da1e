import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { getCanonicalHeaders, getSigningKey, SignatureV4Base } from "@smithy/signature-v4";
import { ChunkSignatures, equalTexts, signatureDoesNotMatch } from "./chunk-signatures";
import { type Claim, claimOfHeader, claimOfQuery } from "./claim";
import { S3Error } from "./errors";
import type { S3Request } from "./request";

export interface Credentials {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** What is known of a body before it is read. */
export interface SignedPayload {
  /** hex SHA-256, `UNSIGNED-PAYLOAD` or `STREAMING-…`, which the body has still to be checked against */
  hash: string;
  /** for a body whose chunks are signed */
  signatures: ChunkSignatures;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Checks the request's AWS Signature Version 4, in its headers or in its query. Throws S3Error as S3 answers (Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)").
 */
export async function authenticate(
  request: S3Request,
  credentials: Credentials,
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

  const claim =
    authorization === undefined ? claimOfQuery(request, now()) : claimOfHeader(request, authorization, now());
  const fault =
    authorization === undefined ? "AuthorizationQueryParametersError" : "AuthorizationHeaderMalformed";
  const [accessKeyId, shortDate, region, service, terminator, ...rest] = claim.credential.split("/");
  if (claim.algorithm !== ALGORITHM) {
    throw new S3Error(fault, `The only signature algorithm supported is ${ALGORITHM}`);
  }
  if (
    rest.length > 0 ||
    shortDate === undefined ||
    service !== "s3" ||
    terminator !== "aws4_request" ||
    !claim.longDate.startsWith(`${shortDate}T`)
  ) {
    throw new S3Error(
      fault,
      'The credential is malformed; expecting "<access key>/<date>/<region>/s3/aws4_request", with the date of the request',
    );
  }
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
    throw new S3Error(fault, `The region '${region}' is wrong; expecting '${credentials.region}'`, {
      Region: credentials.region,
    });
  }
  refuseUnsignedHeaders(request, claim);
  const complete = claim.signedHeaders.every((name) => request.raw.headers[name] !== undefined);
  const scope = `${shortDate}/${region}/s3/aws4_request`;
  const key = await getSigningKey(Sha256, credentials, shortDate, region, "s3");
  const expected = await new Verifier(credentials).sign(request, claim, scope, key);
  if (!complete || !equalTexts(expected, claim.signature)) throw signatureDoesNotMatch();
  return {
    hash: claim.payloadHash,
    signatures: new ChunkSignatures(key, claim.longDate, scope, claim.signature),
  };
}

/** S3 asks that the host and every `x-amz-*` header that is sent be signed, else they could be added on the way. */
function refuseUnsignedHeaders(request: S3Request, claim: Claim): void {
  const unsigned = Object.keys(request.raw.headers).filter(
    (name) => (name === "host" || name.startsWith("x-amz-")) && !claim.signedHeaders.includes(name),
  );
  if (unsigned.length > 0 || !claim.signedHeaders.includes("host")) {
    throw new S3Error("AccessDenied", "There were headers present in the request which were not signed", {
      HeadersNotSigned: unsigned.join(", "),
    });
  }
}

/** The signer's own arithmetic, over what arrived instead of over what is about to be sent. */
class Verifier extends SignatureV4Base {
  constructor(own: Credentials) {
    super({ service: "s3", region: own.region, credentials: own, sha256: Sha256, uriEscapePath: false });
  }

  async sign(request: S3Request, claim: Claim, scope: string, key: Uint8Array): Promise<string> {
    const query: Record<string, string[]> = Object.create(null);
    for (const name of claim.query.keys()) query[name] = claim.query.getAll(name);
    const headers = Object.fromEntries(claim.signedHeaders.map((name) => [name, headerText(request, name)]));
    const arrived = {
      method: request.method,
      protocol: "http:",
      hostname: "",
      path: request.canonicalPath,
      query,
      headers,
    };
    const canonicalHeaders = getCanonicalHeaders(arrived, new Set(), new Set(claim.signedHeaders));
    const canonicalRequest = this.createCanonicalRequest(arrived, canonicalHeaders, claim.payloadHash);
    const stringToSign = await this.createStringToSign(claim.longDate, scope, canonicalRequest, ALGORITHM);
    return createHmac("sha256", key).update(stringToSign).digest("hex");
  }
}

function headerText(request: S3Request, name: string): string {
  const value = request.raw.headers[name];
  return Array.isArray(value) ? value.join(",") : (value ?? "");
}

/** Node's SHA-256 in the shape that the signing library takes. */
export class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(data: Uint8Array): void {
    this.hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === "string") return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
