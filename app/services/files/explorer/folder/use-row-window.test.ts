import { expect, test } from "vitest";
import { stretches } from "./use-row-window";

const window = { first: 100, end: 103, rowHeight: 48 };
const told = (count: number, active: number) =>
  stretches(window, count, active).map((stretch) =>
    "gap" in stretch ? `${stretch.gap / 48} rows` : stretch.index,
  );

test("rows out of sight are one gap above and one below", () => {
  expect(told(1000, 101)).toEqual(["100 rows", 100, 101, 102, "897 rows"]);
});

test("the active row stays, wherever it is", () => {
  expect(told(1000, 0)).toEqual([0, "99 rows", 100, 101, 102, "897 rows"]);
  expect(told(1000, 999)).toEqual(["100 rows", 100, 101, 102, "896 rows", 999]);
  expect(told(1000, 500)).toEqual(["100 rows", 100, 101, 102, "397 rows", 500, "499 rows"]);
});

test("a list that has become short is only what there is", () => {
  expect(told(101, -1)).toEqual(["100 rows", 100]);
  expect(told(50, -1)).toEqual(["50 rows"]);
});

test("without a window there is every row", () => {
  expect(stretches(null, 3, 0)).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }]);
});
