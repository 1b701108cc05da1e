import { toStoredKey } from "./stored-key";

/** Keys as the catalogue has them: from the first on, and before the second. */
export interface KeyRange {
  from: string;
  before: string;
}

/** It comes after every key, as a key has at most 1,024 bytes. */
const AFTER_ALL_KEYS = "\u{10ffff}".repeat(257);

/**
 * The keys in a folder and below it. In the order of bytes, they end before the prefix with its last character, `/`, raised by one.
 * @param prefix what they start with: empty, or ends with `/`
 */
export function rangeOf(prefix: string): KeyRange {
  const from = toStoredKey(prefix);
  return { from, before: from === "" ? AFTER_ALL_KEYS : `${from.slice(0, -1)}0` };
}

/** The rest of a range after one of its keys. No stored key has NUL, so no character that comes next is lower than U+0001. */
export const rangeAfter = (key: string, { before }: KeyRange): KeyRange => ({ from: `${key}\u0001`, before });
