import { expect, it } from "vitest";
import { testsNamedBy, textOf } from "./files";

const page = "docs/reference/accessibility.md";
/** The criteria of WCAG 2.2 on levels A and AA, by guideline. 4.1.1 was removed. */
const criteria = Object.entries({
  "1.1": [1],
  "1.2": [1, 2, 3, 4, 5],
  "1.3": [1, 2, 3, 4, 5],
  "1.4": [1, 2, 3, 4, 5, 10, 11, 12, 13],
  "2.1": [1, 2, 4],
  "2.2": [1, 2],
  "2.3": [1],
  "2.4": [1, 2, 3, 4, 5, 6, 7, 11],
  "2.5": [1, 2, 3, 4, 7, 8],
  "3.1": [1, 2],
  "3.2": [1, 2, 3, 4, 6],
  "3.3": [1, 2, 3, 4, 7, 8],
  "4.1": [2, 3],
}).flatMap(([guideline, numbers]) => numbers.map((number) => `${guideline}.${number}`));

const rows = [
  ...textOf(page).matchAll(/^\| (\d\.\d\.\d+) .+ \((?:A|AA)\) \| (.+?) \| (.+?) \| (.+) \|$/gm),
].map(([, criterion = "", verdict = "", , evidence = ""]) => ({ criterion, verdict, evidence }));

it("every criterion of WCAG 2.2 A and AA stands once in the accessibility report, in order", () => {
  expect(criteria).toHaveLength(55);
  expect(rows.map(({ criterion }) => criterion)).toEqual(criteria);
});

it("every verdict is one of the four, and has evidence", () => {
  const verdicts = ["Supports", "Partially supports", "Does not support", "Not applicable"];
  expect(rows.filter(({ verdict }) => !verdicts.includes(verdict))).toEqual([]);
  expect(rows.filter(({ evidence }) => !/^(`(app|tests)\/|By reading |By hand)/.test(evidence))).toEqual([]);
});

it("every test that the accessibility report names exists", () => {
  const { named, missing } = testsNamedBy(page);
  expect(named.length).toBeGreaterThan(60);
  expect(missing).toEqual([]);
});

it("the accessibility report counts its verdicts", () => {
  const count = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
  const partial = count("Partially supports");
  expect(textOf(page)).toContain(
    `${partial} criterion is supported partially (2.1.4), ${count("Not applicable")} do not apply, and ${count("Supports")} are supported.`,
  );
});
