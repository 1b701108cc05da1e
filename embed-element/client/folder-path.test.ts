import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { issueOfFileName } from "./file-name";
import {
  folderOfKey,
  folderPathOf,
  isAddressable,
  isBelow,
  isInside,
  issueOfFolderPath,
  issueOfStoredFolder,
  issueOfStoredKey,
  joinPath,
  nameOf,
  nameOfKey,
  parentOf,
  pathOfKey,
  prefixOf,
} from "./folder-path";

/** Anything an attacker might send: path punctuation is likelier than in plain random strings. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "/",
        ".",
        "..",
        "\\",
        "\0",
        "%2e%2e",
        "%2f",
        "a",
        "docs",
        "docs-old",
        "…",
        "\u202e",
        "\ud800",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const segment = hostile.filter((name) => issueOfFileName(name) === null);
const folder = fc.array(segment, { maxLength: 4 }).map((names) => names.reduce(joinPath, "/"));

describe("a folder path", () => {
  it.each(["/", "/docs", "/docs/a b", "/%2e%2e/x", "/...", "/日本/émile", "/.hidden"])(
    "may be %s",
    (path) => {
      expect(issueOfFolderPath(path)).toBeNull();
    },
  );

  it.each([
    ["", "must start with /"],
    ["docs", "must start with /"],
    ["/docs/", "must not have an empty segment, nor end with /"],
    ["//", "must not have an empty segment, nor end with /"],
    ["/a//b", "must not have an empty segment, nor end with /"],
    ["/a/../b", "must not have . or .. as a segment"],
    ["/.", "must not have . or .. as a segment"],
    ["/a\\b", "must not contain a backslash"],
    ["/a\0b", "must not contain control characters"],
    ["/a\u0085b", "must not contain control characters"],
    ["/\ud800", "must be well-formed Unicode"],
    [`/${"é".repeat(512)}`, "must be at most 1024 bytes long"],
  ])("is refused, not repaired: %j", (path, issue) => {
    expect(issueOfFolderPath(path)).toBe(issue);
  });

  it("that is accepted has exactly one spelling, and that one stays below the root when a URL parser reads it", () => {
    fc.assert(
      fc.property(hostile, (rest) => {
        const path = `/${rest}`;
        fc.pre(issueOfFolderPath(path) === null);
        const names = path === "/" ? [] : path.slice(1).split("/");
        expect(names.reduce(joinPath, "/")).toBe(path);
        const encoded = names
          .map(encodeURIComponent)
          .map((name) => `/${name}`)
          .join("");
        const read = new URL(`http://store${encoded}`).pathname;
        // `%2e` is the one escape that URL parsers undo; encodeURIComponent has turned its percent sign into %25.
        expect(read).toBe(encoded === "" ? "/" : encoded);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Any key that a store may hold. */
const storedKey = hostile.filter((key) => issueOfStoredKey(key) === null);
/** Any prefix of such keys. */
const storedPrefix = fc
  .tuple(fc.constantFrom("", "/", "//", "a/", "a//", "../", "\n/"), hostile)
  .map(([start, key]) => start + key.slice(0, key.lastIndexOf("/") + 1))
  .filter((prefix) => prefix === "" || issueOfStoredKey(prefix) === null);

describe("a folder that a store may have", () => {
  it.each([
    ["", "/", "", "/"],
    ["a/", "/a", "a", "/"],
    ["a/b/", "/a/b", "b", "/a"],
    ["/", "//", "", "/"],
    ["//", "///", "", "//"],
    ["/a/", "//a", "a", "//"],
    ["a//", "/a//", "", "/a"],
    ["a///", "/a///", "", "/a//"],
    ["a//b/", "/a//b", "b", "/a//"],
    ["../", "/..", "..", "/"],
    ["a\nb\\/", "/a\nb\\", "a\nb\\", "/"],
  ])("with the prefix %j has the path %j, the name %j, and is in %j", (prefix, path, name, parent) => {
    expect([folderPathOf(prefix), prefixOf(path)]).toEqual([path, prefix]);
    expect([nameOf(path), parentOf(path)]).toEqual([name, parent]);
    expect(issueOfStoredFolder(path)).toBeNull();
    if (path !== "/") expect(joinPath(parent, name)).toBe(path);
  });

  it.each(["", "a", "/a/", "/a/b/", `/${"a".repeat(1024)}`])("does not have the path %j", (path) => {
    expect(issueOfStoredFolder(path)).toMatch(/^must /);
  });

  it("has exactly one path, and each folder on the way to it is below the one before", () => {
    fc.assert(
      fc.property(storedPrefix, storedPrefix, (prefix, other) => {
        const path = folderPathOf(prefix);
        expect(prefixOf(path)).toBe(prefix);
        expect(issueOfStoredFolder(path)).toBeNull();
        expect(folderPathOf(other) === path).toBe(other === prefix);
        expect(isInside(path, folderPathOf(other))).toBe(prefix.startsWith(other));
        for (let at = path; at !== "/"; at = parentOf(at)) {
          expect(prefixOf(at).startsWith(prefixOf(parentOf(at)))).toBe(true);
          expect(prefixOf(at).length).toBeGreaterThan(prefixOf(parentOf(at)).length);
          expect(joinPath(parentOf(at), nameOf(at))).toBe(at);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("a file that a store may have", () => {
  it.each([
    ["a.txt", "/", "a.txt"],
    ["a/b.txt", "/a", "b.txt"],
    ["/b.txt", "//", "b.txt"],
    ["a//b.txt", "/a//", "b.txt"],
    ["a/", "/a", "a/"],
    ["a//", "/a//", "/"],
    ["a/..", "/a", ".."],
  ])("with the key %j is in %j, and its name is %j", (key, folder, name) => {
    expect([folderOfKey(key), nameOfKey(key)]).toEqual([folder, name]);
  });

  it("is in the folder of its prefix, and within the folders whose prefixes it begins with", () => {
    fc.assert(
      fc.property(storedKey, storedPrefix, (key, prefix) => {
        const folder = folderOfKey(key);
        expect(key.startsWith(prefixOf(folder))).toBe(true);
        if (!key.endsWith("/")) expect(objectKeyIn(folder, nameOfKey(key))).toBe(key);
        else expect(pathOfKey(key)).toBe(folder);
        if (!prefix.endsWith("//") && prefix !== "/")
          expect(isBelow(`/${key}`, folderPathOf(prefix))).toBe(key.startsWith(prefix));
      }),
      { numRuns: 3000 },
    );
  });

  it("can be fetched by a browser exactly if no URL parser changes its key", () => {
    fc.assert(
      fc.property(storedKey, (key) => {
        // Unlike browsers, Node 20 leaves the `.` and `..` of a path that has a segment such as `.a`.
        fc.pre(!/(^|\/)\.[^./]/.test(key));
        const encoded = key.split("/").map(encodeURIComponent).join("/");
        const read = new URL(`http://store/bucket/${encoded}`).pathname;
        expect(isAddressable(key)).toBe(read === `/bucket/${encoded}`);
      }),
      { numRuns: 3000 },
    );
  });
});

const objectKeyIn = (folder: string, name: string) => prefixOf(folder) + name;

describe("being inside a folder", () => {
  it("goes by whole segments", () => {
    expect(isInside("/docs/a", "/docs")).toBe(true);
    expect(isInside("/docs", "/docs")).toBe(true);
    expect(isInside("/docs-old", "/docs")).toBe(false);
    expect(isInside("/doc", "/docs")).toBe(false);
    expect(isInside("/anything", "/")).toBe(true);
  });

  it("is for a file to be below it: a folder is inside itself, an object of its name is not", () => {
    expect(isBelow("/docs/a", "/docs")).toBe(true);
    expect(isBelow("/docs", "/docs")).toBe(false);
    expect(isBelow("/docs-old/a", "/docs")).toBe(false);
    expect(isBelow("/docs", "/")).toBe(true);
    expect(isBelow("/", "/")).toBe(false);
  });

  it("holds for a path and each of its parents, and for no sibling", () => {
    fc.assert(
      fc.property(folder, segment, segment, (parent, name, other) => {
        const child = joinPath(parent, name);
        expect(issueOfFolderPath(child)).toBeNull();
        expect(isInside(child, parent)).toBe(true);
        expect(isInside(child, joinPath(parent, other))).toBe(name === other);
        expect(isInside(parent, child)).toBe(false);
      }),
    );
  });
});
