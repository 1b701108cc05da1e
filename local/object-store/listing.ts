import { S3Error } from "./errors";
import type { KeyIndex } from "./key-index";

export interface ListingQuery {
  prefix: string;
  /** empty: no grouping */
  delimiter: string;
  /** 0 to 1000 */
  maxKeys: number;
  /** version 2: list what comes after this key */
  startAfter?: string;
  continuationToken?: string | undefined;
  /** version 1: list what comes after this key, or after this common prefix as a whole */
  marker?: string;
}

export interface ListingPage {
  keys: string[];
  commonPrefixes: string[];
  /** undefined when this was the last page */
  nextToken: string | undefined;
  /** the last key or common prefix, likewise */
  nextMarker: string | undefined;
}

/**
 * One page of ListObjects: keys in UTF-8 order, those that share the part up to the delimiter after the prefix rolled
 * up into one common prefix, keys and common prefixes together counted in `maxKeys`. A folder of any size costs one
 * binary search, because the keys of a common prefix stand together. Throws InvalidArgument for a token not ours.
 */
export function listPage(index: KeyIndex, query: ListingQuery): ListingPage {
  const page: ListingPage = { keys: [], commonPrefixes: [], nextToken: undefined, nextMarker: undefined };
  let last: string | undefined;
  let position = startOf(index, query);
  for (let key = index.at(position); key?.startsWith(query.prefix); key = index.at(position)) {
    if (page.keys.length + page.commonPrefixes.length >= query.maxKeys) {
      page.nextToken = last && writeToken(last);
      page.nextMarker = last;
      break;
    }
    const cut = query.delimiter === "" ? -1 : key.indexOf(query.delimiter, query.prefix.length);
    if (cut === -1) {
      page.keys.push(key);
      last = key;
      position += 1;
    } else {
      last = key.slice(0, cut + query.delimiter.length);
      page.commonPrefixes.push(last);
      position = index.endOfPrefix(last, position);
    }
  }
  return page;
}

function startOf(index: KeyIndex, query: ListingQuery): number {
  const { prefix, delimiter, startAfter = "", continuationToken, marker = "" } = query;
  const first = index.firstFrom(prefix);
  const last = continuationToken === undefined ? marker : readToken(continuationToken);
  if (last === "") return startAfter === "" ? first : Math.max(first, index.firstAfter(startAfter));
  const cut = delimiter === "" ? -1 : last.indexOf(delimiter, prefix.length);
  const isCommonPrefix = cut !== -1 && cut + delimiter.length === last.length;
  return Math.max(
    first,
    isCommonPrefix ? index.endOfPrefix(last, index.firstFrom(last)) : index.firstAfter(last),
  );
}

/** A token is the last entry of the page before, in a wrapping that no client makes by chance. */
function writeToken(last: string): string {
  return Buffer.from(JSON.stringify({ last })).toString("base64url");
}

function readToken(token: string): string {
  try {
    const { last } = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (typeof last === "string") return last;
  } catch {
    // refused below, like any other token that was not ours
  }
  throw new S3Error("InvalidArgument", "The continuation token provided is incorrect", {
    ArgumentName: "continuation-token",
  });
}
