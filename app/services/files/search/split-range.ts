import { commonLength } from "./key-order";

/** A stretch of keys that has still to be listed. */
export interface KeyRange {
  /** what comes after it; empty: from the start */
  after: string;
  /** up to it, itself included; null: to the end */
  last: string | null;
}

/** Characters that names count or begin with, in the order of their codes: digits, letters, and the scripts most written in. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0xc0, 0x24f],
  [0x370, 0x3ff],
  [0x400, 0x52f],
  [0x5d0, 0x5ea],
  [0x620, 0x6ff],
  [0x900, 0xfff],
  [0x3040, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
];

/** Less than so many pages are not worth a range of their own: each ends with a page that is listed in part for nothing. */
const FEWEST_PAGES = 2;

/** A place to cut a range in two, and about how many pages the shorter half then has. */
export interface Cut {
  at: string;
  pages: number;
}

/**
 * Where to cut `range` in two, so that both halves can be listed at once; null where no cut is worth it. No store tells where its keys lie, so
 * this is a guess from how those before look: where a number counts up or a name begins, another is likely to follow. A wrong guess costs one
 * request, which finds nothing; the range is then known to end there.
 * @param range its `after` is a key that is there
 * @param first where the page began that ended with `after`
 * @param prefix what all keys begin with
 */
export function findCut({ after, last }: KeyRange, first: string, prefix: string): Cut | null {
  const top = last === null ? prefix.length : commonLength(after, last);
  const varying = commonLength(first, after);
  /** How many pages lie between `after` and `key`, as if keys lay evenly. */
  const pagesTo = (key: string) => {
    const from = Math.min(commonLength(key, after), varying);
    const [begin, end, there] = [first, after, key].map((text) => fractionOf(text, from, after));
    return ((there ?? 0) - (end ?? 0)) / ((end ?? 0) - (begin ?? 0));
  };
  const cuts: Cut[] = [];
  for (let place = top; place <= varying; place++) {
    const at = cutAt(place);
    if (at === null) continue;
    const before = pagesTo(at);
    const behind = last === null ? Number.POSITIVE_INFINITY : pagesTo(last) - before;
    if (Math.min(before, behind) >= FEWEST_PAGES) cuts.push({ at, pages: Math.min(before, behind) });
  }
  // Without a known end, what is far up may be behind everything: half way is found by halving.
  if (last === null) return cuts[cuts.length >> 1] ?? null;
  return cuts.sort((a, b) => b.pages - a.pages)[0] ?? null;

  function cutAt(place: number): string | null {
    const begins = place === prefix.length || after[place - 1] === "/";
    if (!begins && place !== top && place !== varying && !/[0-9]/.test(after[place] ?? "")) return null;
    const bound = place === top && last !== null ? last.charCodeAt(place) : Number.POSITIVE_INFINITY;
    const unit = unitBetween(after.charCodeAt(place), bound, begins);
    return unit === null ? null : after.slice(0, place) + String.fromCharCode(unit);
  }
}

/** A key's end as a number from 0 to 1, so that keys can be subtracted. Where `shape` has a digit, there are ten possibilities. */
function fractionOf(key: string, from: number, shape: string): number {
  let [fraction, unit] = [0, 1];
  for (let place = from; place < from + 12; place++) {
    const isDigit = /[0-9]/.test(shape[place] ?? "");
    unit /= isDigit ? 10 : 128;
    const code = key.charCodeAt(place) || 0;
    fraction += unit * (isDigit ? Math.min(Math.max(code - 0x30, 0), 10) : Math.min(code, 128));
  }
  return fraction;
}

/**
 * A UTF-16 unit between two, both excluded: in the middle of what is left of the block that `low` is in, or the first of a later block where
 * a name begins. Never a slash nor half a surrogate pair.
 */
function unitBetween(low: number, high: number, isNameStart: boolean): number | null {
  for (const [first, last] of BLOCKS) {
    const highest = Math.min(last, high - 1);
    if (highest <= low || highest < first) continue;
    if (first <= low) return (highest + low + 1) >> 1;
    return isNameStart ? first : null;
  }
  return null;
}
