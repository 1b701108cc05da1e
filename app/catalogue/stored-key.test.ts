import fc from "fast-check";
import { expect, it } from "vitest";
import { compareKeys } from "../providers/listings.server";
import { fromStoredKey, toStoredKey } from "./stored-key";

/** Many of the characters that are replaced, and others between them. */
const key = fc.string({ unit: fc.constantFrom("\0", "\u0001", "\u0002", "\u0003", "a", "é", "\u{10ffff}") });

it("a stored key has no NUL, and is read as it was", () => {
  fc.assert(
    fc.property(fc.oneof(key, fc.string({ unit: "binary" })), (text) => {
      expect(toStoredKey(text)).not.toContain("\0");
      expect(fromStoredKey(toStoredKey(text))).toBe(text);
    }),
  );
});

it("stored keys are in the order of the keys", () => {
  fc.assert(
    fc.property(key, key, (one, other) => {
      expect(compareKeys(toStoredKey(one), toStoredKey(other))).toBe(compareKeys(one, other));
    }),
  );
});

it("almost every key is stored as it is", () => {
  for (const text of ["", "a/b c.txt", "日本語/🙂", "tab\t\r\n"]) expect(toStoredKey(text)).toBe(text);
});
