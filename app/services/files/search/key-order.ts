/** Keys in the order in which a store lists them: by their UTF-8 bytes. Amazon S3 API Reference, ListObjectsV2. */

/**
 * Whether `key` comes after `other`. JavaScript compares UTF-16 units, in which characters beyond U+FFFF (surrogates, U+D800 to U+DFFF)
 * come before U+E000 to U+FFFF.
 */
export function isAfter(key: string, other: string): boolean {
  const at = commonLength(key, other);
  if (at === key.length || at === other.length) return key.length > other.length;
  return rank(key.charCodeAt(at)) > rank(other.charCodeAt(at));
}

/** How many UTF-16 units two texts have in common at their start. */
export function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
