import { expect, test } from "vitest";
import { compareTexts } from "./compare-texts";
import { type ComparisonRow, rowsOf } from "./comparison-rows";

const lines = (count: number, prefix = "line ") =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

function rows(
  before: readonly string[],
  after: readonly string[],
  { unfolded = [], layout = "split" }: { unfolded?: number[]; layout?: "split" | "unified" } = {},
): string[] {
  const comparison = compareTexts(before.join("\n"), after.join("\n"), 5_000);
  if (comparison === null) throw new Error("It took too long.");
  return rowsOf(comparison, new Set(unfolded), layout).map(write);
}

function write(row: ComparisonRow): string {
  if (row.kind === "fold") return `… ${row.count}`;
  if (row.kind === "same") return `${row.before} ${row.after}`;
  return `${row.isFirst ? `#${row.change} ` : ""}-${row.before?.number ?? ""} +${row.after?.number ?? ""}`;
}

test("unchanged lines away from a change are folded, and can be unfolded", () => {
  const before = lines(20);
  const after = before.with(9, "another");
  expect(rows(before, after)).toEqual([
    "… 6",
    "7 7",
    "8 8",
    "9 9",
    "#0 -10 +10",
    "11 11",
    "12 12",
    "13 13",
    "… 7",
  ]);
  expect(rows(before, after, { unfolded: [0] }).slice(0, 2)).toEqual(["1 1", "2 2"]);
  expect(rows(before, after, { unfolded: [0, 2] })).toHaveLength(20);
});

test("a few unchanged lines between two changes are shown", () => {
  const before = lines(11);
  expect(rows(before, before.with(0, "x").with(10, "y"))).toHaveLength(11);
  const longer = lines(12);
  expect(rows(longer, longer.with(0, "x").with(11, "y"))).toContain("… 4");
});

test("in one column, the old lines of a change come before the new ones", () => {
  expect(rows(["a", "b", "c"], ["a", "x", "y", "c"], { layout: "unified" })).toEqual([
    "1 1",
    "#0 -2 +",
    "- +2",
    "- +3",
    "3 4",
  ]);
  expect(rows(["a", "b", "c"], ["a", "x", "y", "c"])).toEqual(["1 1", "#0 -2 +2", "- +3", "3 4"]);
});

test("texts without a difference are folded as a whole", () => {
  expect(rows(lines(9), lines(9))).toEqual(["… 9"]);
});
