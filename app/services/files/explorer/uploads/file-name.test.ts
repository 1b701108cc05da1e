import { expect, test } from "vitest";
import { contentTypeOf, fileKind, numberedName } from "./file-name";

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

test("kinds come from the extension, whatever its case", () => {
  expect(fileKind("A.JPEG")).toBe("image");
  expect(fileKind("x.constructor")).toBe("other");
  expect(fileKind("pdf")).toBe("other");
});

test("the browser's media type counts, then the extension, then plain bytes", () => {
  expect(contentTypeOf({ name: "a.png", type: "image/png" })).toBe("image/png");
  expect(contentTypeOf({ name: "a.md", type: "" })).toBe("text/markdown");
  expect(contentTypeOf({ name: "a.xyz", type: "" })).toBe("application/octet-stream");
});
