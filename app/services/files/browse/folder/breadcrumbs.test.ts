import { expect, test } from "vitest";
import { breadcrumbs, wayTo } from "./breadcrumbs";

const shown = (name: string) => name || "(no name)";
const paths = (path: string, root: string) =>
  breadcrumbs(path, root, "Files", shown).map((crumb) => crumb.path);

test("breadcrumbs begin at the root that was granted", () => {
  expect(paths("/a/b", "/")).toEqual(["/", "/a", "/a/b"]);
  expect(paths("/a/b/c", "/a/b")).toEqual(["/a/b", "/a/b/c"]);
  expect(paths("/", "/")).toEqual(["/"]);
  expect(breadcrumbs("/a/b", "/a/b", "Files", shown)[0]?.name).toBe("b");
  expect(breadcrumbs("/", "/", "Files", shown)[0]?.name).toBe("Files");
});

test("breadcrumbs have the names that are shown, and the paths of folders without one", () => {
  expect(breadcrumbs("/a///b", "/", "Files", shown)).toEqual([
    { path: "/", name: "Files" },
    { path: "/a", name: "a" },
    { path: "/a//", name: "(no name)" },
    { path: "/a///", name: "(no name)" },
    { path: "/a///b", name: "b" },
  ]);
});

test("the way to a folder begins at the root, and is the root alone for a folder elsewhere", () => {
  expect(wayTo("/a/b", "/")).toEqual(["/", "/a", "/a/b"]);
  expect(wayTo("/a/b", "/a")).toEqual(["/a", "/a/b"]);
  expect(wayTo("/", "/")).toEqual(["/"]);
  expect(wayTo("/ab", "/a")).toEqual(["/a"]);
});
