/**
 * AWS Signature Version 4 as a server checks it, for the object store and the Data API. Each maps an invalid signature to
 * its own error. AWS IAM User Guide, "Create a signed AWS API request".
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** for tests: keys of sessions, by their ids */
  temporaryKeys?: ReadonlyMap<string, TemporaryKey>;
}

/** An access key that is valid with its session token, until its end. */
export interface TemporaryKey {
  secretAccessKey: string;
  sessionToken: string;
  /** Unix milliseconds */
  expiresAt: number;
}

/**
 * The secret of an access key, or why it cannot be used.
 * @param now Unix milliseconds
 */
export function findSecret(
  { accessKeyId, secretAccessKey, temporaryKeys }: Credentials,
  sent: { accessKeyId: string; sessionToken: string | undefined },
  now: number,
): { secretAccessKey: string } | "unknown" | "wrong token" | "expired" {
  if (sent.accessKeyId === accessKeyId) return { secretAccessKey };
  const key = temporaryKeys?.get(sent.accessKeyId);
  if (key === undefined) return "unknown";
  if (key.sessionToken !== sent.sessionToken) return "wrong token";
  return now < key.expiresAt ? key : "expired";
}

export const ALGORITHM = "AWS4-HMAC-SHA256";

/** What an `Authorization` header says, or the same parameters of a presigned URL. */
export interface SentSignature {
  /** must be `AWS4-HMAC-SHA256` */
  algorithm: string;
  /** `<access key>/<yyyymmdd>/<region>/<service>/aws4_request` */
  credential: string;
  signedHeaders: string[];
  signature: string;
}

/** The request that was signed, as it arrived. */
export interface SignedRequest {
  method: string;
  /** decoded */
  path: string;
  /** without the signature itself */
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** `yyyymmddThhmmssZ` */
  longDate: string;
  /** SHA-256 of the body in hexadecimal, or one of the words that S3 allows in its place */
  payloadHash: string;
}

/** Reads `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`; undefined when one of them is missing. */
export function parseAuthorization(header: string): SentSignature | undefined {
  const field = (name: string) => new RegExp(`[ ,]${name}=([^ ,]+)`).exec(header)?.[1];
  const [algorithm = ""] = header.split(" ", 1);
  const [credential, signedHeaders, signature] = ["Credential", "SignedHeaders", "Signature"].map(field);
  if (!credential || !signedHeaders || !signature) return undefined;
  return { algorithm, credential, signedHeaders: signedHeaders.split(";"), signature };
}

export interface CredentialScope {
  accessKeyId: string;
  shortDate: string;
  region: string;
  service: string;
}

/** The fields of a credential; undefined when it is malformed. */
export function parseCredential(credential: string): CredentialScope | undefined {
  const [accessKeyId, shortDate, region, service, terminator, ...rest] = credential.split("/");
  if (!accessKeyId || !shortDate || region === undefined || service === undefined) return undefined;
  if (terminator !== "aws4_request" || rest.length > 0) return undefined;
  return { accessKeyId, shortDate, region, service };
}

/** Unix milliseconds of `yyyymmddThhmmssZ`; undefined when the text is malformed. */
export function parseLongDate(text: string): number | undefined {
  const fields = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!fields) return undefined;
  const [, year, month, day, hour, minute, second] = fields;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Whether the signature is the one that the secret key makes of this request. */
export function isSignatureValid(
  request: SignedRequest,
  sent: SentSignature,
  { shortDate, region, service }: CredentialScope,
  secretAccessKey: string,
): boolean {
  if (sent.signedHeaders.some((name) => request.headers[name] === undefined)) return false;
  const scope = [shortDate, region, service, "aws4_request"];
  const hash = createHash("sha256").update(canonicalRequest(request, sent.signedHeaders)).digest("hex");
  const stringToSign = [ALGORITHM, request.longDate, scope.join("/"), hash].join("\n");
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const expected = Buffer.from(hmac(key, stringToSign).toString("hex"));
  const given = Buffer.from(sent.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function canonicalRequest(request: SignedRequest, signedHeaders: string[]): string {
  const names = [...signedHeaders].sort();
  const headers = names.map(
    (name) => `${name}:${String(request.headers[name]).trim().replace(/\s+/g, " ")}\n`,
  );
  const query = [...request.query].map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)]);
  return [
    request.method,
    request.path.split("/").map(encodeStrictly).join("/"),
    query
      .sort(([a = "", x = ""], [b = "", y = ""]) => compare(a, b) || compare(x, y))
      .map((pair) => pair.join("="))
      .join("&"),
    headers.join(""),
    names.join(";"),
    request.payloadHash,
  ].join("\n");
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
