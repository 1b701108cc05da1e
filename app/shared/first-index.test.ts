import { expect, test } from "vitest";
import { firstIndex } from "./first-index";

test("the first index for which a condition holds is found between any two", () => {
  for (let to = 0; to < 9; to++)
    for (let from = 0; from <= to; from++)
      for (let first = from; first <= to; first++)
        expect(firstIndex(from, to, (index) => index >= first)).toBe(first);
});
