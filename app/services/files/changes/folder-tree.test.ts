import { expect, test } from "vitest";
import { type Branch, linesOf, withPage } from "./folder-tree";
import { issueOfName } from "./name-form";

const root = { name: "Files", path: "/" };
const branch = (names: string[], changes: Partial<Branch> = {}): Branch => ({
  isOpen: true,
  status: "ready",
  folders: names.map((name) => ({ name, path: `/${name}` })),
  cursor: null,
  ...changes,
});
const text = (branches: [string, Branch][]) =>
  linesOf(root, new Map(branches)).map(({ kind, name, level, isOpen, position, siblings }) =>
    [kind === "folder" ? name : kind, level, isOpen, `${position}/${siblings}`].join(" "),
  );

test("the lines of a tree are its visible folders, with their positions", () => {
  expect(text([])).toEqual(["Files 1 false 1/1"]);
  expect(
    text([
      ["/", branch(["a", "b"])],
      ["/a", branch([])],
    ]),
  ).toEqual(["Files 1 true 1/1", "a 2  1/2", "b 2 false 2/2"]);
  expect(text([["/", branch(["a"], { isOpen: false })]])).toEqual(["Files 1 false 1/1"]);
});

test("further pages and failures are lines of their own", () => {
  expect(text([["/", branch(["a"], { cursor: "c" })]])).toEqual([
    "Files 1 true 1/1",
    "a 2 false 1/2",
    "more 2  2/2",
  ]);
  expect(text([["/", branch([], { status: "failed" })]])).toEqual(["Files 1 true 1/1", "failed 2  1/1"]);
  expect(text([["/", branch([], { status: "loading" })]])).toEqual(["Files 1 true 1/1"]);
});

test("a page adds its folders, each of them once", () => {
  const page = { rows: [{ type: "folder" as const, name: "b", path: "/b" }], cursor: null };
  expect(withPage(branch(["a", "b"], { cursor: "c" }), page)).toEqual(branch(["a", "b"]));
});

test("a name is checked before it is sent", () => {
  const others = [{ name: "a.txt" }];
  expect(issueOfName("", "/", others)).toBe("nameMissing");
  expect(issueOfName("a/b", "/", others)).toBe("nameSlash");
  expect(issueOfName("a\\b", "/", others)).toBe("nameSlash");
  expect(issueOfName("..", "/", others)).toBe("nameBad");
  expect(issueOfName("é".repeat(512), "/", others)).toBe("nameLong");
  expect(issueOfName("a.txt", "/", others)).toBe("nameTaken");
  expect(issueOfName("A.txt", "/", others)).toBe(null);
});
