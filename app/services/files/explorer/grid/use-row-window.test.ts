import { expect, test } from "vitest";
import { rowRanges } from "./use-row-window";

const window = { first: 100, end: 103, rowHeight: 48 };
const rendered = (count: number, active: number) =>
  rowRanges(window, count, active).map((range) => ("gap" in range ? `${range.gap / 48} rows` : range.index));

test("rows out of sight are one gap above and one below", () => {
  expect(rendered(1000, 101)).toEqual(["100 rows", 100, 101, 102, "897 rows"]);
});

test("the active row stays, wherever it is", () => {
  expect(rendered(1000, 0)).toEqual([0, "99 rows", 100, 101, 102, "897 rows"]);
  expect(rendered(1000, 999)).toEqual(["100 rows", 100, 101, 102, "896 rows", 999]);
  expect(rendered(1000, 500)).toEqual(["100 rows", 100, 101, 102, "397 rows", 500, "499 rows"]);
});

test("a list that has become short is only what there is", () => {
  expect(rendered(101, -1)).toEqual(["100 rows", 100]);
  expect(rendered(50, -1)).toEqual(["50 rows"]);
});

test("without a window there is every row", () => {
  expect(rowRanges(null, 3, 0)).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }]);
});
