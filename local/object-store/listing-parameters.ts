import { S3Error } from "./errors";
import { encodeStrictly } from "./request";

const LARGEST_PAGE = 1000;

/** How names are written: as they are, or with `encoding-type=url` percent-encoded. Throws InvalidArgument. */
export function listingEncoding(query: URLSearchParams): {
  encodingType: string | undefined;
  encode: (text: string) => string;
} {
  const encodingType = query.get("encoding-type") ?? undefined;
  if (encodingType !== undefined && encodingType !== "url") {
    throw new S3Error("InvalidArgument", "Invalid Encoding Method specified in Request", {
      ArgumentName: "encoding-type",
    });
  }
  return { encodingType, encode: encodingType === undefined ? (text) => text : encodeForListing };
}

/** A size of a page, at most 1000 whatever is asked for, or a part's number to start after. Throws InvalidArgument. */
export function readCount(query: URLSearchParams, name: string, missing = LARGEST_PAGE): number {
  const text = query.get(name) || String(missing);
  if (!/^[0-9]{1,10}$/.test(text) || Number(text) > 2 ** 31 - 1) {
    throw new S3Error("InvalidArgument", `${name} must be a whole number between 0 and 2147483647`, {
      ArgumentName: name,
      ArgumentValue: text,
    });
  }
  return name.startsWith("max-") ? Math.min(Number(text), LARGEST_PAGE) : Number(text);
}

/** `encoding-type=url`: slashes stay and a space becomes `+`, as in a form. */
function encodeForListing(text: string): string {
  return encodeStrictly(text).replaceAll("%2F", "/").replaceAll("%20", "+");
}
