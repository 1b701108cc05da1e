import { expect, it } from "vitest";
import { suffixedKey } from "./suffixed-key.server";

const SUFFIX = "[2-9b-z]{12}";
const nameOf = (fileName: string, fileTypes?: string[]) =>
  suffixedKey("/in", fileName, fileTypes).replace(/^in\//, "");

it.each([
  ["report.pdf", `report \\(${SUFFIX}\\)\\.pdf`],
  ["report.v2.pdf", `report\\.v2 \\(${SUFFIX}\\)\\.pdf`],
  ["README", `README \\(${SUFFIX}\\)`],
  [".env", `\\.env \\(${SUFFIX}\\)`],
])("puts the suffix into %s before its extension", (name, pattern) => {
  expect(nameOf(name)).toMatch(new RegExp(`^${pattern}$`));
});

it("keeps the end that the token's file types ask for", () => {
  expect(nameOf("a.TAR.gz", [".gz", ".tar.gz", "image/*"])).toMatch(/^a \(.{12}\)\.TAR\.gz$/);
  expect(nameOf(".docx", [".docx"])).toMatch(/^\(.{12}\)\.docx$/);
});

it("gives every key a suffix of its own, without vowels", () => {
  const keys = Array.from({ length: 2_000 }, () => suffixedKey("/", "a"));
  expect(new Set(keys).size).toBe(2_000);
  expect(keys.join("")).not.toMatch(/\([^)]*[aeiou01]/);
});

it("refuses a name that leaves no room for a suffix", () => {
  expect(suffixedKey("/", "n".repeat(1_023 - 15))).toHaveLength(1_023);
  expect(() => suffixedKey("/", "n".repeat(1_024 - 15))).toThrow(
    expect.objectContaining({ code: "invalid_request" }),
  );
});
