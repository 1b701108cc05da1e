import type { IncomingMessage } from "node:http";
import { S3Error } from "./errors";

/** A request to `/bucket/key`. */
export interface S3Request {
  raw: IncomingMessage;
  method: string;
  /** decoded */
  path: string;
  /** empty when the request is about the service itself */
  bucket: string;
  /** empty when the request is about the bucket; otherwise decoded, 1 to 1024 bytes of UTF-8 */
  key: string;
  query: URLSearchParams;
  /** A header. Presigners move `x-amz-*` headers to the query, so those are looked up there as well. */
  header(name: string): string | undefined;
  /** The names of all `x-amz-*` headers, wherever they are; in lower case. */
  amzHeaders(): string[];
}

const MAX_KEY_BYTES = 1024;

/** Throws InvalidURI and KeyTooLongError. */
export function readRequest(raw: IncomingMessage): S3Request {
  const [encodedPath = "", ...rest] = (raw.url ?? "").split("?");
  const path = decodePath(encodedPath);
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new S3Error("KeyTooLongError", "Your key is too long", { MaxSizeAllowed: String(MAX_KEY_BYTES) });
  }
  const query = new URLSearchParams(rest.join("?"));
  const inQuery = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  return {
    raw,
    method: raw.method ?? "",
    path,
    bucket,
    key,
    query,
    header(name) {
      const value = raw.headers[name];
      if (value !== undefined) return Array.isArray(value) ? value.join(",") : value;
      return name.startsWith("x-amz-") ? inQuery.get(name) : undefined;
    },
    amzHeaders() {
      const names = new Set([...Object.keys(raw.headers), ...inQuery.keys()]);
      return [...names].filter((name) => name.startsWith("x-amz-"));
    },
  };
}

function decodePath(encoded: string): string {
  try {
    if (encoded.startsWith("/")) return decodeURIComponent(encoded);
  } catch {
    // Handled below, like a path that does not start with a slash.
  }
  throw new S3Error("InvalidURI", "Couldn't parse the specified URI.");
}
