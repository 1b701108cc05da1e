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

type Grouping = Pick<ListingQuery, "prefix" | "delimiter">;

/**
 * One page of ListObjects. Keys and common prefixes together count against `maxKeys`. Throws InvalidArgument for a token that this store
 * did not create.
 */
export function listPage(index: KeyIndex, query: ListingQuery): ListingPage {
  const page: ListingPage = { keys: [], commonPrefixes: [], nextToken: undefined, nextMarker: undefined };
  let last: string | undefined;
  for (const name of namesFrom(index, startOf(index, query), query)) {
    if (page.keys.length + page.commonPrefixes.length >= query.maxKeys) {
      page.nextToken = last && writeToken(last);
      page.nextMarker = last;
      break;
    }
    (isCommonPrefix(name, query) ? page.commonPrefixes : page.keys).push(name);
    last = name;
  }
  return page;
}

function startOf(index: KeyIndex, query: ListingQuery): number {
  const { prefix, startAfter = "", continuationToken, marker = "" } = query;
  const last = continuationToken === undefined ? marker : readToken(continuationToken);
  if (last !== "") return positionAfter(index, last, query);
  return Math.max(index.firstFrom(prefix), index.firstAfter(startAfter));
}

/**
 * The names from a position on, in UTF-8 order: keys, and the common prefix of those that have the delimiter after the prefix. A group of
 * any size costs one binary search, because its keys are adjacent.
 */
export function* namesFrom(index: KeyIndex, from: number, query: Grouping): Generator<string> {
  let position = from;
  for (let key = index.at(position); key?.startsWith(query.prefix); key = index.at(position)) {
    const group = commonPrefixOf(key, query);
    yield group ?? key;
    position = group === undefined ? position + 1 : index.endOfPrefix(group, position);
  }
}

/** The position after a key, or after all keys of a common prefix. */
export function positionAfter(index: KeyIndex, name: string, query: Grouping): number {
  const position = isCommonPrefix(name, query)
    ? index.endOfPrefix(name, index.firstFrom(name))
    : index.firstAfter(name);
  return Math.max(index.firstFrom(query.prefix), position);
}

export const isCommonPrefix = (name: string, query: Grouping) => commonPrefixOf(name, query) === name;

function commonPrefixOf(key: string, { prefix, delimiter }: Grouping): string | undefined {
  const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
  return cut === -1 ? undefined : key.slice(0, cut + delimiter.length);
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
