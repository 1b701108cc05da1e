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

/** The last entry of a page, which the next page starts behind. */
interface Position {
  kind: "key" | "prefix";
  entry: string;
}

/**
 * One page of ListObjects: keys in UTF-8 order, those that share the part up to the delimiter after the prefix rolled
 * up into one common prefix, keys and common prefixes together counted in `maxKeys`. A folder of any size costs one
 * binary search, because the keys of a common prefix stand together. Throws InvalidArgument for a token not ours.
 */
export function listPage(index: KeyIndex, query: ListingQuery): ListingPage {
  const page: ListingPage = { keys: [], commonPrefixes: [], nextToken: undefined, nextMarker: undefined };
  let last: Position | undefined;
  let position = startOf(index, query);
  for (let key = index.at(position); key?.startsWith(query.prefix); key = index.at(position)) {
    if (page.keys.length + page.commonPrefixes.length >= query.maxKeys) {
      page.nextToken = last && writeToken(last);
      page.nextMarker = last?.entry;
      break;
    }
    const cut = query.delimiter === "" ? -1 : key.indexOf(query.delimiter, query.prefix.length);
    if (cut === -1) {
      page.keys.push(key);
      last = { kind: "key", entry: key };
      position += 1;
    } else {
      const commonPrefix = key.slice(0, cut + query.delimiter.length);
      page.commonPrefixes.push(commonPrefix);
      last = { kind: "prefix", entry: commonPrefix };
      position = index.endOfPrefix(commonPrefix, position);
    }
  }
  return page;
}

function startOf(index: KeyIndex, query: ListingQuery): number {
  const first = index.firstFrom(query.prefix);
  const { delimiter, marker = "", startAfter = "" } = query;
  if (marker !== "") {
    const cut = delimiter === "" ? -1 : marker.indexOf(delimiter, query.prefix.length);
    const isPrefix = cut !== -1 && cut + delimiter.length === marker.length;
    const position = isPrefix ? index.endOfPrefix(marker, index.firstFrom(marker)) : index.firstAfter(marker);
    return Math.max(first, position);
  }
  if (query.continuationToken === undefined) {
    return startAfter === "" ? first : Math.max(first, index.firstAfter(startAfter));
  }
  const last = readToken(query.continuationToken);
  if (last.kind === "key") return Math.max(first, index.firstAfter(last.entry));
  return Math.max(first, index.endOfPrefix(last.entry, index.firstFrom(last.entry)));
}

function writeToken(position: Position): string {
  return Buffer.from(JSON.stringify([position.kind, position.entry])).toString("base64url");
}

function readToken(token: string): Position {
  try {
    const [kind, entry] = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if ((kind === "key" || kind === "prefix") && typeof entry === "string") return { kind, entry };
  } catch {
    // refused below, like any other token that was not ours
  }
  throw new S3Error("InvalidArgument", "The continuation token provided is incorrect", {
    ArgumentName: "continuation-token",
  });
}
