import { expect, test } from "vitest";
import { breadcrumbs } from "./breadcrumbs";

const paths = (path: string, root: string) => breadcrumbs(path, root, "Files").map((crumb) => crumb.path);

test("breadcrumbs begin at the root that was granted", () => {
  expect(paths("/a/b", "/")).toEqual(["/", "/a", "/a/b"]);
  expect(paths("/a/b/c", "/a/b")).toEqual(["/a/b", "/a/b/c"]);
  expect(paths("/", "/")).toEqual(["/"]);
  expect(breadcrumbs("/a/b", "/a/b", "Files")[0]?.name).toBe("b");
  expect(breadcrumbs("/", "/", "Files")[0]?.name).toBe("Files");
});
