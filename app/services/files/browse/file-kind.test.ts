import { expect, test } from "vitest";
import { contentTypeOf, fileKind } from "./file-kind";

test("kinds come from the extension, whatever its case", () => {
  expect(fileKind("A.JPEG")).toBe("image");
  expect(fileKind("x.constructor")).toBe("other");
  expect(fileKind("pdf")).toBe("other");
});

test("the browser's media type counts, then the extension, then plain bytes", () => {
  expect(contentTypeOf({ name: "a.png", type: "image/png" })).toBe("image/png");
  expect(contentTypeOf({ name: "a.md", type: "" })).toBe("text/markdown");
  for (const name of ["a.xyz", "x.constructor", "x.__proto__"]) {
    expect(contentTypeOf({ name, type: "" })).toBe("application/octet-stream");
  }
});
