import type { IncomingMessage } from "node:http";
import { S3Error } from "./errors";

/** One request, its address taken apart: `/bucket/key`, or `/key` at a host that names the bucket. */
export interface S3Request {
  raw: IncomingMessage;
  method: string;
  /** empty when the request is about the service itself */
  bucket: string;
  /** empty when the request is about the bucket; otherwise decoded, 1 to 1024 bytes of UTF-8 */
  key: string;
  /** decoded and written again the one way a signature is computed over */
  canonicalPath: string;
  query: URLSearchParams;
  /** a header, or for `x-amz-*` the query parameter of that name: a presigner moves such headers there */
  header(name: string): string | undefined;
}

/** A list may come in several headers of one name, and so may what a client made up; of these there is one, or none. */
const SINGLE =
  /^(authorization|content-(type|length|md5|disposition)|date|expires|host|if-(un)?modified-since|if-range|origin|range|x-amz-(?!meta-).*)$/;

/**
 * `virtualHosts`: host names whose subdomains are buckets (virtual-hosted addressing). Throws InvalidURI, InvalidRequest
 * and KeyTooLongError.
 */
export function readRequest(raw: IncomingMessage, virtualHosts: string[] = []): S3Request {
  refuseRepeatedHeaders(raw);
  const target = raw.url ?? "";
  const mark = target.includes("?") ? target.indexOf("?") : target.length;
  const path = decodePath(target.slice(0, mark));
  const hostBucket = bucketOfHost(raw.headers.host ?? "", virtualHosts);
  const slash = hostBucket === undefined ? path.indexOf("/", 1) : 0;
  const bucket = hostBucket ?? (slash === -1 ? path.slice(1) : path.slice(1, slash));
  const key = slash === -1 ? "" : path.slice(slash + 1);
  if (Buffer.byteLength(key) > 1024) {
    throw new S3Error("KeyTooLongError", "Your key is too long", { MaxSizeAllowed: "1024" });
  }
  const query = new URLSearchParams(target.slice(mark + 1));
  const hoisted = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  return {
    raw,
    method: raw.method ?? "",
    bucket,
    key,
    canonicalPath: path.split("/").map(encodeStrictly).join("/"),
    query,
    header(name) {
      const value = raw.headers[name];
      if (value !== undefined) return Array.isArray(value) ? value.join(",") : value;
      return name.startsWith("x-amz-") ? hoisted.get(name) : undefined;
    },
  };
}

function bucketOfHost(host: string, virtualHosts: string[]): string | undefined {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  const parent = virtualHosts.find((candidate) => name.endsWith(`.${candidate}`));
  return parent === undefined ? undefined : name.slice(0, -parent.length - 1);
}

/** Node keeps the first of some, and joins others: either way what was checked might not be what was meant. */
function refuseRepeatedHeaders(raw: IncomingMessage): void {
  for (const [name, values = []] of Object.entries(raw.headersDistinct)) {
    if (values.length > 1 && SINGLE.test(name)) {
      throw new S3Error("InvalidRequest", `The header ${name} may be sent once.`, { Header: name });
    }
  }
}

function decodePath(encoded: string): string {
  try {
    if (encoded.startsWith("/")) return decodeURIComponent(encoded);
  } catch {
    // refused below, like a path that does not start with a slash
  }
  throw new S3Error("InvalidURI", "Couldn't parse the specified URI.");
}

/** Percent-encodes all but RFC 3986's unreserved characters, as S3 signs and lists names. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
