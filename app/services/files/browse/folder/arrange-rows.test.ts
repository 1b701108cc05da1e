import { folderOf, pathOf, type Row, rowId } from "platform-embed-element/client";
import { expect, test, vi } from "vitest";
import { fileRow, folderRow as folder } from "../../../../../tests/support/files/rows";
import { formatsFor } from "../../../../locales/format";
import { followMoves, rowFilter, rowOrder, type SortColumn, sortRows, whereIs } from "./arrange-rows";

const { compare } = formatsFor("en", "UTC");
const file = (name: string, size = 1, lastModified = "2026-01-01T00:00:00.000Z") =>
  fileRow(name, { size, lastModified });
const names = (rows: Row[]) => rows.map((row) => row.name);
const byName = { column: "name", descending: false } as const;

const arrange = (
  rows: Row[],
  shown: Parameters<typeof rowFilter>[0],
  ...order: Parameters<typeof rowOrder>
) => sortRows(rows.filter(rowFilter(shown)), rowOrder(...order));

/** What is shown of the folder `/` with this filter. */
const by = (filter: string) => ({ here: "/", filter });

test("folders come first, and numbers in names count as numbers", () => {
  const rows = [file("b10.txt"), file("b9.txt"), folder("/z"), file("A.txt"), folder("/é")];
  expect(names(arrange(rows, by(""), byName, compare))).toEqual(["é", "z", "A.txt", "b9.txt", "b10.txt"]);
  expect(names(arrange(rows, by(""), { column: "name", descending: true }, compare))).toEqual([
    "z",
    "é",
    "b10.txt",
    "b9.txt",
    "A.txt",
  ]);
});

test("a filter of files leaves out folders and other files, also if their names match", () => {
  const rows = [file("a.pdf", 5), file("ab.pdf", 1), file("a.txt", 9), folder("/a.pdf")];
  const found = (filter: string) =>
    names(arrange(rows, { ...by(filter), files: { kinds: ["pdf"], minSize: 2 } }, byName, compare));
  expect([found(""), found("a"), found("b")]).toEqual([["a.pdf"], ["a.pdf"], []]);
});

test("by size and date files are sorted, equal ones by name, and folders stay by name", () => {
  const rows = [file("b", 5), file("a", 5), file("c", 90), folder("/g"), folder("/f")];
  expect(names(arrange(rows, by(""), { column: "size", descending: true }, compare))).toEqual([
    "f",
    "g",
    "c",
    "a",
    "b",
  ]);
  const dated = [file("new", 1, "2026-02-01T00:00:00.000Z"), file("old", 1, "2025-02-01T00:00:00.000Z")];
  const kinds = [file("b.zip"), file("c.png"), file("a.zip")];
  expect(names(arrange(kinds, by(""), { column: "type", descending: true }, compare))).toEqual([
    "c.png",
    "a.zip",
    "b.zip",
  ]);
  expect(names(arrange(dated, by(""), { column: "modified", descending: false }, compare))).toEqual([
    "old",
    "new",
  ]);
});

test("by size, folders are sorted if all of their sizes are known", () => {
  const rows = [folder("/a"), folder("/b"), file("c", 5)];
  const bySize = (sizes: ReadonlyMap<string, number> | null, descending = true) =>
    names(arrange(rows, by(""), { column: "size", descending }, compare, undefined, sizes));
  const sizes = new Map([
    ["/a", 1],
    ["/b", 2],
  ]);
  expect(bySize(sizes)).toEqual(["b", "a", "c"]);
  expect(bySize(sizes, false)).toEqual(["a", "b", "c"]);
  expect(bySize(null)).toEqual(["a", "b", "c"]);
});

test("the filter looks anywhere in a name, in any case", () => {
  expect(names(arrange([file("Report.PDF"), file("x")], by(" port.p "), byName, compare))).toEqual([
    "Report.PDF",
  ]);
});

test("the filter ignores accents and the Unicode form of a name", () => {
  const rows = [file("Émile.txt"), file("Cafe\u0301.txt"), file("x")];
  expect(names(arrange(rows, by("emile"), byName, compare))).toEqual(["Émile.txt"]);
  expect(names(arrange(rows, by("café"), byName, compare))).toEqual(["Cafe\u0301.txt"]);
});

test("a name is folded once, however often its row is matched", () => {
  const many = Array.from({ length: 50 }, (_, index) => file(`Zürich ${index}.txt`));
  many.filter(rowFilter(by("zurich")));
  const normalize = vi.spyOn(String.prototype, "normalize");
  expect([...many, file("Zürich, new.txt")].filter(rowFilter(by("zurich")))).toHaveLength(51);
  expect(normalize).toHaveBeenCalledTimes(1);
  normalize.mockRestore();
});

test("rows that were sorted before are not sorted again", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => file(`${(index * 7919) % 10_000}.txt`));
  const order = rowOrder(byName, compare);
  const before = sortRows(many, order);
  const more = Array.from({ length: 100 }, (_, index) => file(`${(index * 7919) % 10_000}b.txt`));
  const rows = [...many.slice(0, -1), ...more];
  let comparisons = 0;
  const counting = (a: Row, b: Row) => {
    comparisons++;
    return order(a, b);
  };
  const sorted = sortRows(rows, counting, before);
  expect(comparisons).toBeLessThan(more.length * 2 * Math.log2(rows.length));
  expect(sorted).toEqual(sortRows(rows, order));
});

test.each([
  [[], ["b"]],
  [["b"], []],
  [
    ["b", "d"],
    ["a", "c", "e"],
  ],
  [
    ["a", "b"],
    ["c", "d"],
  ],
  [
    ["c", "d"],
    ["a", "b"],
  ],
  [["a", "b", "c", "d", "e", "f", "g"], ["g1"]],
  [
    ["a", "b", "c", "d", "e", "f", "g"],
    ["f1", "f2"],
  ],
])("%j, sorted before, and %j are sorted together", (before, more) => {
  const rows = (of: string[]) => of.map((name) => file(name));
  const sorted = rows(before);
  const all = sortRows([...sorted, ...rows(more)], rowOrder(byName, compare), sorted);
  expect(names(all)).toEqual([...before, ...more].sort());
});

test("of equal rows, those that came later follow", () => {
  const [first, second] = [fileRow("a/x.txt"), fileRow("b/x.txt")];
  const order = rowOrder(byName, compare);
  expect(sortRows([second, first], order, [first])).toEqual([first, second]);
});

const found = [folder("/a/docs"), fileRow("a/docs/x.txt"), fileRow("a/docs-old/x.txt"), fileRow("x.txt")];
const after = (from: Row, to: Row | null, here = "/") => followMoves(found, [{ from, to }], here).map(pathOf);

test("a deleted file leaves the search results, and a deleted folder leaves them with everything in it", () => {
  expect(after(fileRow("x.txt"), null)).toEqual(["/a/docs", "/a/docs/x.txt", "/a/docs-old/x.txt"]);
  expect(after(folder("/a/docs"), null)).toEqual(["/a/docs-old/x.txt", "/x.txt"]);
});

test("what was renamed or moved has its new path in the search results, with everything in it", () => {
  expect(after(fileRow("x.txt"), fileRow("b/y.txt"))).toContain("/b/y.txt");
  const rows = followMoves(found, [{ from: folder("/a/docs"), to: folder("/b/papers") }], "/");
  expect(rows.slice(0, 2)).toEqual([folder("/b/papers"), fileRow("b/papers/x.txt")]);
});

test("what was moved out of the folder that is searched leaves the search results", () => {
  const inA = [folder("/a/docs"), fileRow("a/docs/x.txt"), fileRow("a/y.txt")];
  const moved = [
    { from: folder("/a/docs"), to: folder("/docs") },
    { from: fileRow("a/y.txt"), to: fileRow("a/b/y.txt") },
  ];
  expect(followMoves(inA, moved, "/a")).toEqual([fileRow("a/b/y.txt")]);
});

test("a folder and what was in it may have gone to different places", () => {
  const moved = [
    { from: folder("/a/docs"), to: null },
    { from: fileRow("a/docs/x.txt"), to: fileRow("b/x.txt") },
  ];
  expect(followMoves(found, moved, "/").map(pathOf)).toEqual(["/b/x.txt", "/a/docs-old/x.txt", "/x.txt"]);
});

test("deleted files are sorted by the date of the deletion and by who deleted them, and so are folders", () => {
  const gone = (row: Row, at: string, name: string, size: number): Row => {
    const deletion = { at, visitor: { id: name, name } };
    return row.type === "file"
      ? { ...row, size, deletion }
      : { ...row, deletion: { ...deletion, count: 1, size } };
  };
  const rows = [
    gone(folder("/a"), "2026-11-24", "Grace", 1),
    gone(folder("/b"), "2026-11-25", "Ada", 9),
    gone(file("c"), "2026-11-23", "Grace", 2),
    gone(file("d"), "2026-11-26", "Ada", 1),
  ];
  const sorted = (column: SortColumn, descending: boolean) =>
    names(arrange(rows, by(""), { column, descending }, compare));
  expect(sorted("modified", true)).toEqual(["b", "a", "d", "c"]);
  expect(sorted("type", false)).toEqual(["b", "a", "d", "c"]);
  expect(sorted("size", false)).toEqual(["a", "b", "d", "c"]);
});

test("each row has an id of its own, and is in the folder that lists it, whatever its key", () => {
  const rows = [
    folder("/x"),
    folder("//"),
    folder("//x"),
    folder("/a//"),
    fileRow("x"),
    fileRow("/x"),
    fileRow("file:/x"),
    fileRow("a/"),
    fileRow("a//"),
    fileRow("a//x"),
  ];
  expect(new Set(rows.map(rowId)).size).toBe(rows.length);
  expect(rows.map(folderOf)).toEqual(["/", "/", "//", "/a", "/", "//", "/file:", "/a", "/a//", "/a//"]);
  expect(whereIs(fileRow("a//x"), "/a")).toBe("/");
  expect(whereIs(fileRow("a//x"), "/a//")).toBeNull();
});

test("what was moved out of a folder without a name has its new path in the search results", () => {
  const found = [folder("/a//"), fileRow("a//x.txt"), folder("/a//b"), fileRow("a//b/y.txt")];
  const moved = followMoves(found, [{ from: folder("/a//"), to: folder("/to//") }], "/");
  expect(moved.map(pathOf)).toEqual(["/to//", "/to//x.txt", "/to//b", "/to//b/y.txt"]);
});
