import { expect, it } from "vitest";
import { listFiles, testsNamedBy, textOf } from "./files";

const page = "docs/guide/trust-boundaries.md";
const rows = textOf(page)
  .split("\n")
  .filter((line) => line.startsWith("| ") && line.includes("](../../"));

it("every boundary names its code and a test that shows its protection", () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.filter((row) => !/`[\w/.-]+\.tsx?`: `[^`]+` \|$/.test(row))).toEqual([]);
  const files = new Set(listFiles());
  const linked = rows.flatMap((row) =>
    [...row.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, path = ""]) => path),
  );
  expect(linked.filter((path) => !files.has(path))).toEqual([]);
});

it("every test that the page of trust boundaries names exists", () => {
  const { named, missing } = testsNamedBy(page);
  expect(named.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});
