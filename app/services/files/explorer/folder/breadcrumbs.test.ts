import { expect, test } from "vitest";
import { breadcrumbs, wayTo } from "./breadcrumbs";

const paths = (path: string, root: string) => breadcrumbs(path, root, "Files").map((crumb) => crumb.path);

test("breadcrumbs begin at the root that was granted", () => {
  expect(paths("/a/b", "/")).toEqual(["/", "/a", "/a/b"]);
  expect(paths("/a/b/c", "/a/b")).toEqual(["/a/b", "/a/b/c"]);
  expect(paths("/", "/")).toEqual(["/"]);
  expect(breadcrumbs("/a/b", "/a/b", "Files")[0]?.name).toBe("b");
  expect(breadcrumbs("/", "/", "Files")[0]?.name).toBe("Files");
});

test("the way to a folder begins at the root, and is the root alone for a folder elsewhere", () => {
  expect(wayTo("/a/b", "/")).toEqual(["/", "/a", "/a/b"]);
  expect(wayTo("/a/b", "/a")).toEqual(["/a", "/a/b"]);
  expect(wayTo("/", "/")).toEqual(["/"]);
  expect(wayTo("/ab", "/a")).toEqual(["/a"]);
});
