import { expect, test } from "vitest";
import { findByPrefix } from "./use-type-ahead";

const items = ["Apple", "banana", "Avocado", "blueberry", "Émile"].map((name) => ({ name }));

test.each([
  ["the next one", "a", 1, 2],
  ["the one at the start itself", "b", 1, 1],
  ["one before the start, at the end of the round", "ap", 1, 0],
  ["one from a start behind the last", "b", 5, 1],
  ["one with an accent that was not typed", "em", 0, 4],
  ["none", "c", 0, -1],
])("typing finds %s", (_, prefix, start, found) => {
  expect(findByPrefix(items, prefix, start)).toBe(found);
});
