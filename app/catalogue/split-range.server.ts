import { compareKeys } from "../providers/listings.server";

/** In the order of bytes, no character comes after it. */
const LAST_CHARACTER = "\u{10ffff}";
/** Most keys have no others, so it is tried first. */
const LAST_ASCII = 0x7f;
const LAST_CODE_POINT = 0x10ffff;
/** A key has at most 1,024 bytes, and no store needs to take a longer text. Two characters are added. */
const MAX_KEY_BYTES = 1_016;

/** Finds the first key of the bucket that comes after `text`; null if there is none. */
type FirstKeyAfter = (text: string) => Promise<string | null>;

/**
 * Finds where to divide the keys that come after `key`, so that two can list them. The store tells only what comes after a text, so it is
 * asked for single keys: first which characters all of them begin with, then which characters follow.
 *
 * The two parts have about as many *possible* characters, not as many keys. So a part is divided again when somebody has nothing to do.
 * @param key a key of the bucket
 * @param until the last key of the range; null: the range ends with the bucket
 * @returns a text: there are keys in the range after it, and `key` does not come after it. Undefined if no key in the range comes after `key`,
 * or `key` is too long to find out
 */
export async function findSplit(
  key: string,
  until: string | null,
  firstKeyAfter: FirstKeyAfter,
): Promise<string | undefined> {
  const firstInRange = async (text: string) => {
    const found = await firstKeyAfter(text);
    return found === null || (until !== null && compareKeys(found, until) > 0) ? undefined : found;
  };
  if (Buffer.byteLength(key) > MAX_KEY_BYTES || (await firstInRange(key)) === undefined) return undefined;

  const characters = Array.from(key);
  const beginning = (length: number) => characters.slice(0, length).join("");
  // All keys begin with the first `shared` characters of `key`, and not with the first `differs`. What `key` and `until` share, all keys share,
  // and seldom more.
  let shared = until === null ? 0 : sharedBeginning(characters, until);
  let differs = characters.length + 1;
  let beyond: string | undefined;
  const halfway = () => Math.floor((shared + differs) / 2);
  for (let length = until === null ? halfway() : shared + 1; differs - shared > 1; length = halfway()) {
    const found = await firstInRange(beginning(length) + LAST_CHARACTER);
    if (found === undefined) shared = length;
    else [differs, beyond] = [length, found];
  }
  const prefix = beginning(shared);
  // The bucket may change between two requests, so a key may have come that begins otherwise.
  if (beyond?.startsWith(prefix) === false) return notBefore(key, prefix + LAST_CHARACTER);
  // If all other keys begin with the whole of `key`, what follows in them is compared.
  const next = (text: string | undefined) => text?.slice(prefix.length).codePointAt(0) ?? 0;
  const first = next(key);
  let last = next(beyond);
  // The last character that follows: one that is known to, and one after which none does.
  let none = until?.startsWith(prefix) ? next(until) : LAST_CODE_POINT;
  for (let middle = Math.min(none - 1, LAST_ASCII); last < none; middle = (last + none) >> 1) {
    const tried = Math.max(middle, last);
    const found = await firstInRange(prefix + characterOf(tried) + LAST_CHARACTER);
    if (found?.startsWith(prefix) === false) return notBefore(key, prefix + LAST_CHARACTER);
    if (found === undefined) none = tried;
    else last = Math.max(tried + 1, next(found));
  }
  return last <= first ? key : notBefore(key, prefix + characterOf((first + last) >> 1) + LAST_CHARACTER);
}

/** How many characters at the beginning of a text are these. */
function sharedBeginning(characters: readonly string[], text: string): number {
  const others = Array.from(text);
  const differs = characters.findIndex((character, index) => character !== others[index]);
  return differs === -1 ? characters.length : differs;
}

const notBefore = (key: string, split: string) => (compareKeys(split, key) < 0 ? key : split);

/** Half of a surrogate pair is no character; the one before those is in the same place. */
const characterOf = (codePoint: number) =>
  String.fromCodePoint(codePoint >= 0xd800 && codePoint <= 0xdfff ? 0xd7ff : codePoint);
