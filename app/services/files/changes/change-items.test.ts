import { nameOf, parentOf, prefixOf } from "platform-embed-element/client";
import { describe, expect, it } from "vitest";
import { areInReplacedFolder, issueOfTarget, readItems, targetsOf } from "./change-items";

const file = (path: string) => ({ path, isFolder: false });
const folder = (path: string) => ({ path, isFolder: true });

describe("items", () => {
  it("are kept once each, and left out if a listed folder contains them", () => {
    const requested = [
      { key: "a" },
      { key: "docs/b" },
      { folderPath: "/docs" },
      { folderPath: "/docs" },
      { key: "docs/deep/c" },
      { folderPath: "/docs/deep" },
      { key: "docs-old/d" },
      { key: "docs" },
      { key: "a" },
    ];
    expect(readItems(requested)).toEqual([folder("/docs"), file("/a"), file("/docs-old/d"), file("/docs")]);
  });
});

it.each([
  ["/a", "/", "a", "a/"],
  ["/a/b", "/a", "b", "a/b/"],
  ["/a/b/c", "/a/b", "c", "a/b/c/"],
])("%s lies in %s under the name %s", (path, parent, name, prefix) => {
  expect([parentOf(path), nameOf(path), prefixOf(path)]).toEqual([parent, name, prefix]);
});

it("everything is below the root", () => expect(prefixOf("/")).toBe(""));

describe("targets", () => {
  it("keep their names, or get the one that was given", () => {
    const items = [folder("/a/docs"), file("/a/x.txt")];
    expect(targetsOf(items, "/", undefined).map(({ path }) => path)).toEqual(["/docs", "/x.txt"]);
    expect(targetsOf([file("/a/x.txt")], "/to", "y.txt")).toEqual([
      { path: "/to/y.txt", isFolder: false, isDuplicate: false },
    ]);
  });

  it("are marked if two items would share one; a file and a folder may share a name", () => {
    const items = [file("/a/x"), file("/b/x"), folder("/c/x"), folder("/d/x")];
    expect(targetsOf(items, "/to", undefined).map(({ isDuplicate }) => isDuplicate)).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it.each([
    ["/a", "/b/a", false],
    ["/a", "/a", false],
    ["/a", "/ab", false],
    ["/a", "/a/a", true],
    ["/a", "/a/b/a", true],
    ["/a/a", "/a", true],
    ["/a/b/a", "/a", true],
  ])("of the folder %s, merging into %s: refused %j", (from, to, isRefused) => {
    expect(issueOfTarget(folder(from), folder(to), true) !== null).toBe(isRefused);
    expect(issueOfTarget(file(from), file(to), true)).toBeNull();
  });

  it("are marked if an item has them that stays, whatever the order", () => {
    const items = [file("/a/x"), file("/x"), folder("/b/docs"), folder("/docs")];
    const isDuplicate = targetsOf(items, "/", undefined).map((target) => target.isDuplicate);
    expect(isDuplicate).toEqual([true, false, true, false]);
  });

  it.each([
    ["another folder", [folder("/b/docs"), file("/to/other/x")], false],
    ["the folder that is replaced", [folder("/b/docs"), file("/to/docs/x")], true],
    ["deep in it", [file("/to/docs/y/x"), folder("/b/docs")], true],
    ["a folder of a name that begins alike", [folder("/b/docs"), folder("/to/docs-old/x")], false],
    ["the folder where it stays", [folder("/b/docs"), folder("/to/docs")], false],
  ])("an item in %s is in the way: %j", (_, items, expected) => {
    expect(areInReplacedFolder(items, targetsOf(items, "/to", undefined))).toBe(expected);
  });

  it("may have the name of a folder above, unless the item would replace that folder", () => {
    expect(issueOfTarget(folder("/a/a"), folder("/a"), false)).toBeNull();
  });
});
