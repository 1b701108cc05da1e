import { expect, it } from "vitest";
import { testsNamedBy, textOf } from "./files";

const page = "tests/specification.md";

it("every sentence of our specification has a test that exists", () => {
  const rows = textOf(page)
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2);
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((row) => !/\| `[\w/.-]+\.tsx?`: `[^`]+` \|$/.test(row))).toEqual([]);
  const { named, missing } = testsNamedBy(page);
  expect(named).toHaveLength(rows.length);
  expect(missing).toEqual([]);
});
