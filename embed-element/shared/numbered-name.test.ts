import { expect, test } from "vitest";
import { numberedName } from "./numbered-name";

test.each([
  ["report.pdf", "report (1).pdf"],
  ["report (1).pdf", "report (2).pdf"],
  ["report (9).tar.gz", "report (9).tar (1).gz"],
  ["Makefile", "Makefile (1)"],
  [".env", ".env (1)"],
  ["a (b).txt", "a (b) (1).txt"],
])("%s becomes %s", (name, next) => {
  expect(numberedName(name)).toBe(next);
});

test.each([
  ["docs", "docs (1)"],
  ["v1.2", "v1.2 (1)"],
  ["v1.2 (1)", "v1.2 (2)"],
])("the folder %s becomes %s", (name, next) => {
  expect(numberedName(name, true)).toBe(next);
});

test("a number that cannot be counted on with is part of the name", () => {
  expect(numberedName("a (9007199254740992).txt")).toBe("a (9007199254740992) (1).txt");
  expect(numberedName("a (999999999999999).txt")).toBe("a (1000000000000000).txt");
});

test("several times at once is as often one after the other", () => {
  expect(numberedName("a.txt", false, 0)).toBe("a.txt");
  expect(numberedName("a (2).txt", false, 3)).toBe("a (5).txt");
});
