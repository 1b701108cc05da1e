/**
 * AWS Signature Version 4 as a server checks it: the object store and the Data API do it here. AWS IAM user guide,
 * "Signature Version 4". What each makes of an invalid signature is its own.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Sha256 } from "@smithy/core/checksum";
import { getCanonicalHeaders, getSigningKey, SignatureV4Base } from "@smithy/signature-v4";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export const ALGORITHM = "AWS4-HMAC-SHA256";

/** What an `Authorization` header says, or the same parameters of a presigned URL. */
export interface SentSignature {
  /** `AWS4-HMAC-SHA256` is the one known */
  algorithm: string;
  /** `<access key>/<yyyymmdd>/<region>/<service>/aws4_request` */
  credential: string;
  signedHeaders: string[];
  signature: string;
}

/** The request that was signed, as it arrived. */
export interface SignedRequest {
  method: string;
  /** encoded the one way that the signature is computed over */
  canonicalPath: string;
  /** without the signature itself */
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** `yyyymmddThhmmssZ` */
  longDate: string;
  /** hex SHA-256 of the body, or what S3 allows in its place */
  payloadHash: string;
}

/** `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`; undefined when a part is missing. */
export function parseAuthorization(header: string): SentSignature | undefined {
  const [algorithm = "", ...rest] = header.split(" ");
  const fields = new Map(
    rest
      .join("")
      .split(",")
      .map((field) => {
        const equals = field.indexOf("=");
        return [field.slice(0, equals), field.slice(equals + 1)];
      }),
  );
  const credential = fields.get("Credential");
  const signedHeaders = fields.get("SignedHeaders");
  const signature = fields.get("Signature");
  if (!credential || !signedHeaders || !signature) return undefined;
  return { algorithm, credential, signedHeaders: signedHeaders.split(";"), signature };
}

/** The parts of a credential; undefined when it is not one. */
export function parseCredential(credential: string) {
  const [accessKeyId, shortDate, region, service, terminator, ...rest] = credential.split("/");
  if (!accessKeyId || !shortDate || region === undefined || service === undefined) return undefined;
  if (terminator !== "aws4_request" || rest.length > 0) return undefined;
  return { accessKeyId, shortDate, region, service };
}

/** Unix milliseconds of `yyyymmddThhmmssZ`, undefined when it is no such thing. */
export function parseLongDate(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** The key that signs what belongs to the request, and its scope; undefined when the signature is not valid. */
export async function verifySignature(
  request: SignedRequest,
  sent: SentSignature,
  { shortDate, region, service }: { shortDate: string; region: string; service: string },
  credentials: Credentials,
): Promise<{ key: Uint8Array; scope: string } | undefined> {
  if (sent.signedHeaders.some((name) => request.headers[name] === undefined)) return undefined;
  const scope = `${shortDate}/${region}/${service}/aws4_request`;
  const key = await getSigningKey(Sha256, credentials, shortDate, region, service);
  const signer = new Signer(service, region, credentials);
  const expected = await signer.compute(request, sent.signedHeaders, scope, key);
  return equalTexts(expected, sent.signature) ? { key, scope } : undefined;
}

/** In a time that tells nothing of where they differ. */
export function equalTexts(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The AWS SDK's own computation, over what arrived instead of over what is about to be sent. */
class Signer extends SignatureV4Base {
  constructor(service: string, region: string, credentials: Credentials) {
    super({ service, region, credentials, sha256: Sha256, uriEscapePath: false });
  }

  async compute(
    request: SignedRequest,
    signedHeaders: string[],
    scope: string,
    key: Uint8Array,
  ): Promise<string> {
    const query: Record<string, string[]> = Object.create(null);
    for (const name of request.query.keys()) query[name] = request.query.getAll(name);
    const headers = Object.fromEntries(signedHeaders.map((name) => [name, String(request.headers[name])]));
    const arrived = {
      method: request.method,
      protocol: "http:",
      hostname: "",
      path: request.canonicalPath,
      query,
      headers,
    };
    const canonicalHeaders = getCanonicalHeaders(arrived, new Set(), new Set(signedHeaders));
    const canonicalRequest = this.createCanonicalRequest(arrived, canonicalHeaders, request.payloadHash);
    const text = await this.createStringToSign(request.longDate, scope, canonicalRequest, ALGORITHM);
    return createHmac("sha256", key).update(text).digest("hex");
  }
}
