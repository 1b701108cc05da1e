import { expect, it } from "vitest";
import { markedKey } from "./marked-key.server";

const MARK = "[2-9b-z]{12}";
const nameOf = (fileName: string, fileTypes?: string[]) =>
  markedKey("/in", fileName, fileTypes).replace(/^in\//, "");

it.each([
  ["report.pdf", `report \\(${MARK}\\)\\.pdf`],
  ["report.v2.pdf", `report\\.v2 \\(${MARK}\\)\\.pdf`],
  ["README", `README \\(${MARK}\\)`],
  [".env", `\\.env \\(${MARK}\\)`],
])("puts the mark into %s before its extension", (name, pattern) => {
  expect(nameOf(name)).toMatch(new RegExp(`^${pattern}$`));
});

it("keeps the end that the token's file types ask for", () => {
  expect(nameOf("a.TAR.gz", [".gz", ".tar.gz", "image/*"])).toMatch(/^a \(.{12}\)\.TAR\.gz$/);
  expect(nameOf(".docx", [".docx"])).toMatch(/^\(.{12}\)\.docx$/);
});

it("gives every key a mark of its own, without vowels", () => {
  const keys = Array.from({ length: 2_000 }, () => markedKey("/", "a"));
  expect(new Set(keys).size).toBe(2_000);
  expect(keys.join("")).not.toMatch(/\([^)]*[aeiou01]/);
});

it("refuses a name that leaves no room for a mark", () => {
  expect(markedKey("/", "n".repeat(1_023 - 15))).toHaveLength(1_023);
  expect(() => markedKey("/", "n".repeat(1_024 - 15))).toThrow(
    expect.objectContaining({ code: "invalid_request" }),
  );
});
