import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareUtf8, KeyIndex } from "./key-index";
import { type ListingPage, listPage } from "./listing";

const text = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[a-c/]{0,6}$/));

function indexOf(keys: string[]): KeyIndex {
  const index = new KeyIndex();
  for (const key of keys) index.add(key);
  return index;
}

function listAll(
  index: KeyIndex,
  query: { prefix?: string; delimiter?: string; maxKeys: number; startAfter?: string },
) {
  const pages: ListingPage[] = [];
  let continuationToken: string | undefined;
  do {
    const page = listPage(index, { prefix: "", delimiter: "", startAfter: "", ...query, continuationToken });
    pages.push(page);
    continuationToken = page.nextToken;
  } while (continuationToken !== undefined);
  return pages;
}

describe("keys", () => {
  it("are compared as their UTF-8 bytes are", () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(Math.sign(compareUtf8(left, right))).toBe(
          Buffer.compare(Buffer.from(left), Buffer.from(right)),
        );
      }),
    );
  });

  it("stay sorted and single through any additions and removals", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.stringMatching(/^[ab🌞\uffee]{1,2}$/u))), (steps) => {
        const index = new KeyIndex();
        const model = new Set<string>();
        for (const [add, key] of steps) {
          if (add) index.add(key);
          else index.remove(key);
          if (add) model.add(key);
          else model.delete(key);
        }
        const keys = Array.from({ length: index.size }, (_, position) => index.at(position) ?? "");
        expect(keys).toEqual([...model].sort(compareUtf8));
      }),
    );
  });
});

describe("a listing", () => {
  it("is what grouping every key would give, at any page size", () => {
    const query = fc.record({
      keys: fc.uniqueArray(text.filter((key) => key !== "")),
      prefix: fc.constantFrom("", "a", "a/", "b/c"),
      delimiter: fc.constantFrom("", "/", "b", "a/"),
      maxKeys: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(query, ({ keys, prefix, delimiter, maxKeys }) => {
        const expected = new Set<string>();
        for (const key of [...keys].sort(compareUtf8).filter((candidate) => candidate.startsWith(prefix))) {
          const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
          expected.add(cut === -1 ? key : key.slice(0, cut + delimiter.length));
        }
        const pages = listAll(indexOf(keys), { prefix, delimiter, maxKeys });
        const entries = pages.flatMap((page) => [...page.keys, ...page.commonPrefixes].sort(compareUtf8));
        expect(entries).toEqual([...expected]);
        for (const page of pages.slice(0, -1))
          expect(page.keys.length + page.commonPrefixes.length).toBe(maxKeys);
      }),
    );
  });

  it("continues where it was, though keys came and went meanwhile", () => {
    const index = indexOf(["a", "b", "c", "d"]);
    const query = { prefix: "", delimiter: "", startAfter: "", maxKeys: 2, continuationToken: undefined };
    const { nextToken } = listPage(index, query);
    index.remove("b");
    index.add("a2");
    index.add("b2");
    expect(listPage(index, { ...query, continuationToken: nextToken }).keys).toEqual(["b2", "c"]);
  });

  it("starts after a key", () => {
    const index = indexOf(["a", "b", "c"]);
    expect(listAll(index, { maxKeys: 1, startAfter: "a" }).flatMap((page) => page.keys)).toEqual(["b", "c"]);
    expect(listAll(index, { maxKeys: 9, prefix: "b", startAfter: "a" }).flatMap((page) => page.keys)).toEqual(
      ["b"],
    );
  });

  it("of no keys at all is one page, the last", () => {
    expect(listAll(indexOf(["a"]), { maxKeys: 0 })).toEqual([
      { keys: [], commonPrefixes: [], nextToken: undefined },
    ]);
  });

  it("refuses a token that is none", () => {
    const query = { prefix: "", delimiter: "", startAfter: "", maxKeys: 1 };
    for (const continuationToken of ["", "x", Buffer.from('["key",1]').toString("base64url")]) {
      expect(() => listPage(new KeyIndex(), { ...query, continuationToken })).toThrow("continuation token");
    }
  });
});
