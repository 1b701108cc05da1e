import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isAfter } from "./key-order";
import type { KeyRange } from "./split-range";
import { LANES, type ListedKeys, walkKeys } from "./walk-keys.server";

const PAGE = 1_000;
const everything: KeyRange[] = [{ after: "", last: null }];
const pad = (value: number, digits: number) => String(value).padStart(digits, "0");
const make = (count: number, keyAt: (index: number) => string) =>
  [...new Set(Array.from({ length: count }, (_, index) => keyAt(index)))].sort((a, b) =>
    isAfter(a, b) ? 1 : -1,
  );
/** A number that looks drawn at random, and is the same in every run. */
const scatter = (index: number) => Math.imul(index + 1, 2_654_435_761) >>> 0;

/** A store of these keys, how often it was asked, and how often at once. */
function storeOf(keys: readonly string[], prefix: string) {
  const asked = { requests: 0, now: 0, most: 0 };
  const own = keys.filter((key) => key.startsWith(prefix));
  const list = async (after: string): Promise<ListedKeys> => {
    asked.requests += 1;
    asked.now += 1;
    asked.most = Math.max(asked.most, asked.now);
    await turn();
    asked.now -= 1;
    let [start, end] = [0, own.length];
    while (start < end) {
      const middle = (start + end) >> 1;
      if (isAfter(own[middle] ?? "", after)) end = middle;
      else start = middle + 1;
    }
    return { keys: own.slice(start, start + PAGE), isTruncated: start + PAGE < own.length };
  };
  return { asked, own, list };
}

/** Walks to the end, in calls of at most so many pages each. */
async function walkAll(
  store: ReturnType<typeof storeOf>,
  prefix: string,
  pagesACall = Number.POSITIVE_INFINITY,
) {
  const seen: string[] = [];
  let ranges = everything;
  let calls = 0;
  while (ranges.length > 0) {
    let pages = 0;
    calls += 1;
    ranges = await walkKeys(ranges, {
      prefix,
      list: store.list,
      limitMs: 60_000,
      take(page, count, after) {
        pages += 1;
        expect(page.keys.findIndex((key) => !isAfter(key, after))).toBe(-1);
        seen.push(...page.keys.slice(0, count));
      },
      isEnough: () => pages >= pagesACall,
    });
  }
  return { seen, calls };
}

const buckets: [what: string, prefix: string, keys: string[]][] = [
  ["numbers in one folder", "flat/", make(100_000, (index) => `flat/file-${pad(index, 6)}.txt`)],
  [
    "a tree of 20,000 folders",
    "",
    make(100_000, (index) => {
      const folder = Math.floor(index / 5);
      return `tree/Dept ${pad(folder % 20, 2)}/Project ${pad(Math.floor(folder / 20) % 40, 2)}/Case ${pad(Math.floor(folder / 800), 2)}/document-${index % 5}.pdf`;
    }),
  ],
  ["hexadecimal ids", "", make(50_000, (index) => `${scatter(index).toString(16)}-${index}`)],
  ["words", "", make(50_000, (index) => `${scatter(index).toString(36).replace(/\d/g, "e")} ${index}.jpg`)],
  [
    "dates",
    "photos/",
    make(50_000, (index) => {
      const day = Math.floor(index / 20);
      return `photos/${2019 + Math.floor(day / 360)}/${pad(1 + (Math.floor(day / 30) % 12), 2)}/IMG_${pad(1 + (day % 30), 2)}_${pad(index % 20, 4)}.jpg`;
    }),
  ],
  [
    "Chinese names",
    "",
    make(30_000, (index) => `${String.fromCodePoint(0x4e00 + (scatter(index) % 20_000))}/${index}.txt`),
  ],
  [
    "emoji, and what comes before them in bytes alone",
    "",
    make(20_000, (index) => `${index % 2 ? "😀" : "\uffee"}${scatter(index)}`),
  ],
  [
    "names that differ only in their end",
    "",
    make(20_000, (index) => `${"same/".repeat(100)}${"x".repeat(index % 50)}${index}`),
  ],
];

describe("walking all keys", () => {
  it.each(buckets)(
    "sees each of %s once, in hardly more requests than there are pages",
    async (_what, prefix, keys) => {
      const store = storeOf(keys, prefix);
      const { seen } = await walkAll(store, prefix);
      expect(seen).toHaveLength(store.own.length);
      expect(new Set(seen).size).toBe(seen.length);
      expect(store.asked.most).toBeLessThanOrEqual(LANES);
    },
  );

  it.each(buckets)("sees each of %s once when it goes on again and again", async (_what, prefix, keys) => {
    const store = storeOf(keys, prefix);
    const { seen, calls } = await walkAll(store, prefix, 5);
    expect(new Set(seen).size).toBe(store.own.length);
    expect(seen).toHaveLength(store.own.length);
    expect(calls).toBeGreaterThan(1);
  });
});
