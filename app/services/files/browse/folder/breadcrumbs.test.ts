import { expect, test } from "vitest";
import { breadcrumbs, wayTo } from "./breadcrumbs";

const named = (path: string) => `the name of ${path}`;
const paths = (path: string, root: string) => breadcrumbs(path, root, named).map((crumb) => crumb.path);

test("breadcrumbs begin at the root that was granted", () => {
  expect(paths("/a/b", "/")).toEqual(["/", "/a", "/a/b"]);
  expect(paths("/a/b/c", "/a/b")).toEqual(["/a/b", "/a/b/c"]);
  expect(paths("/", "/")).toEqual(["/"]);
});

test("breadcrumbs have the names that are shown, and the paths of folders without one", () => {
  expect(paths("/a///b", "/")).toEqual(["/", "/a", "/a//", "/a///", "/a///b"]);
  expect(breadcrumbs("/a", "/", named).at(-1)).toEqual({ path: "/a", name: "the name of /a" });
});

test("the way to a folder begins at the root, and is the root alone for a folder elsewhere", () => {
  expect(wayTo("/a/b", "/")).toEqual(["/", "/a", "/a/b"]);
  expect(wayTo("/a/b", "/a")).toEqual(["/a", "/a/b"]);
  expect(wayTo("/", "/")).toEqual(["/"]);
  expect(wayTo("/ab", "/a")).toEqual(["/a"]);
});
