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
