import { expect, it } from "vitest";
import { bytesOf, choicesOf, killMoments, wholeNumber } from "./seed";

const words = Array.from({ length: 1_000 }, (_, index) => `file-${index}`);

it("makes the same choices for the same seed in any order, and others for another seed", () => {
  const [one, same, other] = [choicesOf(7), choicesOf(7), choicesOf(8)];
  const choices = words.map((word) => one(word));
  expect(
    words
      .toReversed()
      .map((word) => same(word))
      .reverse(),
  ).toEqual(choices);
  expect(words.map((word) => other(word))).not.toEqual(choices);
});

it("tells words apart", () => {
  const choose = choicesOf(7);
  expect(choose("a", 1, 2)).not.toBe(choose("a", 12));
});

it("spreads choices evenly", () => {
  const choose = choicesOf(7);
  const below = words.filter((word) => choose(word) < 0.1).length;
  expect(below).toBeGreaterThan(60);
  expect(below).toBeLessThan(140);
});

it("makes the same bytes for the same seed", () => {
  expect(bytesOf(7, 100, "a")).toEqual(bytesOf(7, 100, "a"));
  expect(bytesOf(7, 100, "a")).toHaveLength(100);
  expect(bytesOf(7, 100, "a")).not.toEqual(bytesOf(8, 100, "a"));
});

it("kills once in each range of operations, and not in the last one", () => {
  for (let seed = 0; seed < 50; seed++) {
    const moments = killMoments(choicesOf(seed), 5, 600);
    for (const [index, moment] of moments.entries()) {
      expect(moment).toBeGreaterThanOrEqual(index * 100);
      expect(moment).toBeLessThanOrEqual((index + 1) * 100);
    }
  }
});

it("chooses whole numbers up to the limit", () => {
  expect([0, 0.5, 0.999].map((choice) => wholeNumber(choice, 1, 4))).toEqual([1, 2, 3]);
});
