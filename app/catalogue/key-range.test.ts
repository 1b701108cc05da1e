import fc from "fast-check";
import { expect, it } from "vitest";
import { compareKeys } from "../providers/listings.server";
import { rangeAfter, rangeOf } from "./key-range";
import { fromStoredKey, toStoredKey } from "./stored-key";

const key = fc.string({ unit: fc.constantFrom("\0", "\u0001", "\u0002", "/", "0", "a", "é", "\u{10ffff}") });
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 20 });

const isIn = (stored: string, { from, before }: ReturnType<typeof rangeOf>) =>
  compareKeys(stored, from) >= 0 && compareKeys(stored, before) < 0;

it("the range of a folder has the keys that begin as it does, and no others", () => {
  fc.assert(
    fc.property(keys, key, (all, folder) => {
      for (const prefix of ["", `${folder}/`]) {
        const found = all.map(toStoredKey).filter((stored) => isIn(stored, rangeOf(prefix)));
        expect(found.map(fromStoredKey)).toEqual(all.filter((one) => one.startsWith(prefix)));
      }
    }),
  );
});

it("reading on after each key reads every key once", () => {
  fc.assert(
    fc.property(keys, (all) => {
      const stored = all.map(toStoredKey).sort(compareKeys);
      const read: string[] = [];
      for (let range = rangeOf(""), next = stored[0]; next !== undefined; ) {
        read.push(next);
        range = rangeAfter(next, range);
        next = stored.find((one) => isIn(one, range));
      }
      expect(read).toEqual(stored);
    }),
  );
});
