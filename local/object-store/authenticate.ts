import { createHash, createHmac, type Hash, type Hmac, timingSafeEqual } from "node:crypto";
import { getCanonicalHeaders, getSigningKey, SignatureV4Base } from "@smithy/signature-v4";
import { type Claim, claimOfHeader, claimOfQuery } from "./claim";
import { S3Error } from "./errors";
import type { S3Request } from "./request";

export interface Credentials {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Checks the request's AWS Signature Version 4, in its headers or in its query, and resolves to the payload hash it
 * was signed with (hex SHA-256, `UNSIGNED-PAYLOAD` or `STREAMING-...`), which the body has still to be checked against.
 * Throws S3Error as S3 answers (Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)").
 */
export async function authenticate(
  request: S3Request,
  credentials: Credentials,
  now: () => number = Date.now,
): Promise<string> {
  const authorization = request.raw.headers.authorization;
  const presigned = request.query.has("X-Amz-Signature") || request.query.has("X-Amz-Algorithm");
  if (authorization !== undefined && presigned) {
    throw new S3Error(
      "InvalidArgument",
      "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified",
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
  if (!complete || !equal(await new Verifier(credentials).sign(request, claim), claim.signature)) {
    throw new S3Error(
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    );
  }
  return claim.payloadHash;
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
  constructor(private readonly own: Credentials) {
    super({ service: "s3", region: own.region, credentials: own, sha256: Sha256, uriEscapePath: false });
  }

  async sign(request: S3Request, claim: Claim): Promise<string> {
    const shortDate = claim.longDate.slice(0, 8);
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
    const scope = `${shortDate}/${this.own.region}/s3/aws4_request`;
    const stringToSign = await this.createStringToSign(claim.longDate, scope, canonicalRequest, ALGORITHM);
    const key = await getSigningKey(Sha256, this.own, shortDate, this.own.region, "s3");
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

function equal(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
