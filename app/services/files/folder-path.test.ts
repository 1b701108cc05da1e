import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isBelow, isInside, issueOfFolderPath, issueOfSegment, joinPath } from "./folder-path";

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
const segment = hostile.filter((name) => issueOfSegment(name) === null);
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
