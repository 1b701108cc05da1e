import { invalidArgument } from "./errors";
import type { KeyIndex } from "./key-index";

export interface ListingQuery {
  prefix: string;
  /** empty: no grouping */
  delimiter: string;
  /** 0 to 1000 */
  maxKeys: number;
  /** version 2: list the keys after this one */
  startAfter?: string;
  continuationToken?: string | undefined;
  /** version 1: list the keys after this one, or after all keys with this common prefix */
  marker?: string;
}

export interface ListingPage {
  keys: string[];
  commonPrefixes: string[];
  /** undefined when this is the last page */
  nextToken: string | undefined;
  /** the last key or common prefix; undefined when this is the last page */
  nextMarker: string | undefined;
}

/**
 * One page of ListObjects: keys in UTF-8 order. Keys with the delimiter after the prefix are grouped into common prefixes. Keys and
 * common prefixes together count against `maxKeys`. A group of any size costs one binary search, because its keys are adjacent.
 * Throws InvalidArgument for a token that this store did not create.
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

/** A token holds the last entry of its page, encoded so that no client creates one by chance. */
function writeToken(last: string): string {
  return Buffer.from(JSON.stringify({ last })).toString("base64url");
}

function readToken(token: string): string {
  try {
    const { last } = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (typeof last === "string") return last;
  } catch {
    // Handled below, like any other token that this store did not create.
  }
  throw invalidArgument("continuation-token", token, "The continuation token provided is incorrect");
}
