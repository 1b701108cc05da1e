import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys } from "../providers/listings.server";
import { findSplit } from "./split-range.server";

/** A bucket with these keys, which counts what it is asked. */
function bucketOf(keys: readonly string[]) {
  const sorted = [...new Set(keys)].sort(compareKeys);
  const bucket = {
    sorted,
    requests: 0,
    firstKeyAfter: async (text: string) => {
      bucket.requests += 1;
      return sorted.find((key) => compareKeys(key, text) > 0) ?? null;
    },
  };
  return bucket;
}

const unit = fc.oneof(
  fc.constantFrom("a", "b", "/", "\0", "\u{10ffff}", "\ud7ff", "\ue000"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
);
const keys = fc.uniqueArray(fc.string({ unit, minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 20 });

describe("a split", () => {
  it("has keys of the range after it, and the given key is not one of them", () =>
    fc.assert(
      fc.asyncProperty(keys, fc.nat(), fc.option(fc.nat()), async (given, at, end) => {
        const { sorted, firstKeyAfter } = bucketOf(given);
        const key = sorted[at % sorted.length] ?? "";
        const until = end === null ? null : (sorted[end % sorted.length] ?? null);
        const inRange = sorted.filter(
          (other) => compareKeys(other, key) > 0 && (until === null || compareKeys(other, until) <= 0),
        );
        const split = await findSplit(key, until, firstKeyAfter);
        if (split === undefined) {
          expect(inRange).toEqual([]);
          return;
        }
        expect(compareKeys(split, key)).toBeGreaterThanOrEqual(0);
        expect(inRange.some((other) => compareKeys(other, split) > 0)).toBe(true);
      }),
    ));

  it("is found with few requests, and divides keys of hexadecimal digits into two parts of about the same size", async () => {
    const name = (number: number) =>
      `photos/2026/${((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}.jpg`;
    const bucket = bucketOf(Array.from({ length: 4_000 }, (_, number) => name(number)));
    const [first = ""] = bucket.sorted;
    const split = (await findSplit(first, null, bucket.firstKeyAfter)) ?? "";
    const before = bucket.sorted.filter((key) => compareKeys(key, split) <= 0).length;
    expect(before).toBeGreaterThan(1_000);
    expect(before).toBeLessThan(3_000);
    expect(bucket.requests).toBeLessThan(20);
  });

  it("of parts that were divided before is found with fewer requests", async () => {
    const bucket = bucketOf(
      Array.from({ length: 4_000 }, (_, number) => `photos/2026/${number % 300}/${number}.jpg`),
    );
    const [first = ""] = bucket.sorted;
    const divide = async (until: string | null) =>
      (await findSplit(first, until, bucket.firstKeyAfter)) ?? null;
    let until = await divide(null);
    const requestsOfWhole = bucket.requests;
    for (let divided = 0; divided < 4; divided++) until = await divide(until);
    expect((bucket.requests - requestsOfWhole) / 4).toBeLessThan(0.8 * requestsOfWhole);
  });

  it("is found with few requests also if the bucket changes after each of them", () =>
    fc.assert(
      fc.asyncProperty(keys, fc.infiniteStream(keys), async ([key = ""], changed) => {
        let requests = 0;
        const firstKeyAfter = async (text: string) => {
          if (++requests > 100) throw new Error("The search does not end.");
          return bucketOf(changed.next().value).firstKeyAfter(text);
        };
        const split = await findSplit(key, null, firstKeyAfter);
        if (split !== undefined) expect(compareKeys(split, key)).toBeGreaterThanOrEqual(0);
      }),
    ));

  it("is not looked for after a key that is as long as a key may be", async () => {
    const longest = "x".repeat(1_024);
    const { firstKeyAfter } = bucketOf([longest, "y"]);
    expect(await findSplit(longest, null, firstKeyAfter)).toBeUndefined();
  });
});
