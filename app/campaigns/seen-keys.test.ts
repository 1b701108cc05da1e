import { expect, it } from "vitest";
import { SeenKeys } from "./seen-keys";

it("knows each key from its second time on, however many there are", () => {
  const seen = new SeenKeys();
  const keys = Array.from({ length: 20_000 }, (_, index) => `key ${index}`);
  expect(keys.filter((key) => !seen.add(key))).toEqual([]);
  expect(keys.filter((key) => seen.add(key))).toEqual([]);
  expect(seen.add("another")).toBe(true);
  seen.clear();
  expect(keys.filter((key) => !seen.add(key))).toEqual([]);
});
