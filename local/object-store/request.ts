import type { IncomingMessage } from "node:http";
import { S3Error } from "./errors";

/** One request, its path taken apart (path-style addressing: `/bucket/key`). */
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

/** Throws InvalidURI and KeyTooLongError. */
export function readRequest(raw: IncomingMessage): S3Request {
  const target = raw.url ?? "";
  const mark = target.includes("?") ? target.indexOf("?") : target.length;
  const path = decodePath(target.slice(0, mark));
  const slash = path.indexOf("/", 1);
  const bucket = slash === -1 ? path.slice(1) : path.slice(1, slash);
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

function decodePath(encoded: string): string {
  try {
    if (encoded.startsWith("/")) return decodeURIComponent(encoded);
  } catch {
    // answered below, like a path that does not start with a slash
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
