import { expect, test } from "vitest";
import { rowRanges } from "./use-row-window";

const window = { first: 100, end: 103 };
const gap = (rows: number) => `calc(${rows} * var(--row-height))`;
const rendered = (count: number, active: number) =>
  rowRanges(window, count, active).map((range) => ("gap" in range ? range.gap : range.index));

test("rows out of sight are one gap above and one below", () => {
  expect(rendered(1000, 101)).toEqual([gap(100), 100, 101, 102, gap(897)]);
});

test("the active row stays, wherever it is", () => {
  expect(rendered(1000, 0)).toEqual([0, gap(99), 100, 101, 102, gap(897)]);
  expect(rendered(1000, 999)).toEqual([gap(100), 100, 101, 102, gap(896), 999]);
  expect(rendered(1000, 500)).toEqual([gap(100), 100, 101, 102, gap(397), 500, gap(499)]);
});

test("a list that has become short has only the rows that are left", () => {
  expect(rendered(101, -1)).toEqual([gap(100), 100]);
  expect(rendered(50, -1)).toEqual([gap(50)]);
});

test("without a window there is every row", () => {
  expect(rowRanges(null, 3, 0)).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }]);
});
