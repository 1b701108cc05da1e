import { expect, test } from "vitest";
import { findByPrefix } from "./use-type-ahead";

const items = ["Apple", "banana", "Avocado", "blueberry"].map((name) => ({ name }));

test.each([
  ["the next one", "a", 1, 2],
  ["the one at the start itself", "b", 1, 1],
  ["one before the start, at the end of the round", "ap", 1, 0],
  ["one from a start behind the last", "b", 4, 1],
  ["none", "c", 0, -1],
])("typing finds %s", (_, prefix, start, found) => {
  expect(findByPrefix(items, prefix, start)).toBe(found);
});
