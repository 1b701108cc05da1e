import { expect, test } from "vitest";
import type { Row } from "./folder-state";
import { pathOf } from "./folder-state";
import { followMoves } from "./follow-moves";

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const folder = (path: string): Row => ({ type: "folder", name: nameOf(path), path });
const file = (key: string): Row => ({
  type: "file",
  name: nameOf(key),
  key,
  size: 1,
  lastModified: "2026-11-22T00:00:00.000Z",
  etag: "e",
});
const found = [folder("/a/docs"), file("a/docs/x.txt"), file("a/docs-old/x.txt"), file("x.txt")];
const after = (from: Row, to: Row | null, here = "/") => followMoves(found, [{ from, to }], here).map(pathOf);

test("what is gone is no longer found, a folder with all that is in it and no other", () => {
  expect(after(file("x.txt"), null)).toEqual(["/a/docs", "/a/docs/x.txt", "/a/docs-old/x.txt"]);
  expect(after(folder("/a/docs"), null)).toEqual(["/a/docs-old/x.txt", "/x.txt"]);
});

test("what has another name or another folder is there, and so is all that is in it", () => {
  expect(after(file("x.txt"), file("b/y.txt"))).toContain("/b/y.txt");
  const rows = followMoves(found, [{ from: folder("/a/docs"), to: folder("/b/papers") }], "/");
  expect(rows.slice(0, 2)).toEqual([folder("/b/papers"), file("b/papers/x.txt")]);
});

test("what has left the folder that is searched is no longer found", () => {
  const inA = [folder("/a/docs"), file("a/docs/x.txt"), file("a/y.txt")];
  const moved = [
    { from: folder("/a/docs"), to: folder("/docs") },
    { from: file("a/y.txt"), to: file("a/b/y.txt") },
  ];
  expect(followMoves(inA, moved, "/a")).toEqual([file("a/b/y.txt")]);
});

test("a folder and what was in it may have gone to different places", () => {
  const moved = [
    { from: folder("/a/docs"), to: null },
    { from: file("a/docs/x.txt"), to: file("b/x.txt") },
  ];
  expect(followMoves(found, moved, "/").map(pathOf)).toEqual(["/b/x.txt", "/a/docs-old/x.txt", "/x.txt"]);
});
