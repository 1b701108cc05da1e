import { expect, it } from "vitest";
import { readConditions } from "../../tests/support/machine/conditions";
import { formatPage, formatResult } from "./report";
import { inMs, median, medianRow } from "./result";

it("writes a benchmark's rows, its peers' versions and its raw numbers", () => {
  const times = [3, 1, 2.123456789];
  const text = formatResult("search", {
    title: "Searching a|b",
    rows: [medianRow("first hit", times, inMs, "half of the peer's")],
    raw: { "first hit, ms": times },
    peers: { peer: "1.2.3" },
    notes: ["A note."],
  });
  expect(text).toContain("## search");
  expect(text).toContain("| first hit | 2.1 ms | 1.0 ms to 3.0 ms | half of the peer's |");
  expect(text).toContain('"first hit, ms": [3, 1, 2.12346]');
  expect(text).toContain("`peer` 1.2.3");
  expect(text).toContain("A note.");
  expect(text).toContain("npm run bench -- --only search");
});

it("writes a page with the conditions, every result, and what was not measured", () => {
  const result = { title: "Searching", rows: [], raw: {} };
  const page = (failed: string[]) =>
    formatPage({ search: result, http: result }, failed, "npm run bench -- --report", readConditions());
  expect(page([])).toContain("Written by `npm run bench -- --report`.");
  expect(page([]).match(/^## .*/gm)).toEqual(["## Conditions", "## search", "## http"]);
  expect(page([])).not.toContain("Not measured");
  expect(page(["email", "zip-download"])).toContain(
    "**Not measured, because of an error: email, zip-download.**",
  );
});

it("keeps a line in a cell from ending it", () => {
  const rows = [{ name: "a|b", value: "1" }];
  expect(formatResult("x", { title: "", rows, raw: {} })).toContain("| a\\|b | 1 |  |  |");
});

it("takes the middle of unsorted values, and leaves them as they are", () => {
  const values = [9, 1, 5];
  expect(median(values)).toBe(5);
  expect(values).toEqual([9, 1, 5]);
});
