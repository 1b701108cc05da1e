/** Keys in the order in which S3 lists them: by their UTF-8 bytes. */
export class KeyIndex {
  private keys: string[] = [];

  get size(): number {
    return this.keys.length;
  }

  at(position: number): string | undefined {
    return this.keys[position];
  }

  fill(keys: string[]): void {
    this.keys = keys.sort(compareUtf8);
  }

  add(key: string): void {
    const position = this.firstFrom(key);
    if (this.keys[position] !== key) this.keys.splice(position, 0, key);
  }

  remove(key: string): void {
    const position = this.firstFrom(key);
    if (this.keys[position] === key) this.keys.splice(position, 1);
  }

  /** Position of the first key that is not before `key`. */
  firstFrom(key: string): number {
    return this.search(0, (candidate) => compareUtf8(candidate, key) >= 0);
  }

  /** Position of the first key after `key`. */
  firstAfter(key: string): number {
    return this.search(0, (candidate) => compareUtf8(candidate, key) > 0);
  }

  /** Position of the first key without the prefix, after a position where keys have it. */
  endOfPrefix(prefix: string, from: number): number {
    return this.search(from, (candidate) => !candidate.startsWith(prefix));
  }

  /** Binary search for the first position at which `isPassed` is true; it is false before it and true after it. */
  private search(from: number, isPassed: (candidate: string) => boolean): number {
    let [low, high] = [from, this.keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isPassed(this.keys[middle] ?? "")) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/**
 * Compares texts by their UTF-8 bytes. JavaScript compares UTF-16 units, where characters beyond U+FFFF (surrogates,
 * U+D800 to U+DFFF) come before U+E000 to U+FFFF.
 */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let position = 0; position < length; position++) {
    const [a, b] = [left.charCodeAt(position), right.charCodeAt(position)];
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Moves surrogates behind all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
