import { expect, test } from "vitest";
import { NumberedNames, numberedName } from "./numbered-name";

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

test("the next of many equal names is looked for from the last number on", () => {
  const numbers = new NumberedNames();
  const taken = new Set(["a (1).txt", "a (3).txt"]);
  let asked = 0;
  const isTaken = (name: string) => {
    asked++;
    return taken.has(name);
  };
  const next = (name: string, folder = "") => numbers.next(name, isTaken, (one) => `${folder}/${one}`);
  expect(["a.txt", "a.txt", "a (1).txt", "a.pdf"].map((name) => next(name))).toEqual([
    "a (2).txt",
    "a (4).txt",
    "a (5).txt",
    "a (1).pdf",
  ]);
  expect(asked, "no number twice").toBe(6);
  expect(next("a.txt", "b"), "another folder has numbers of its own").toBe("a (2).txt");
});
