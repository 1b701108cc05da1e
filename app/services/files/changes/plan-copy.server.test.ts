import { expect, it, vi } from "vitest";
import type { ServiceTools } from "../../../embed/service";
import { targetsOf } from "./change-items";
import { chooseNumbers, numbered } from "./plan-copy.server";

it("a thousand files of one name are numbered in order, and what is there is listed once", async () => {
  const list = vi.fn().mockResolvedValue({
    prefixes: [],
    objects: [{ key: "to/a (2).txt" }, { key: "to/a (1001).txt" }],
    nextCursor: null,
  });
  const objectStore = {
    describeObject: async () => ({ size: 1 }),
    list,
  } as unknown as ServiceTools["objectStore"];
  const items = Array.from({ length: 1_000 }, (_, index) => ({ path: `/${index}/a.txt`, isFolder: false }));
  const targets = targetsOf(items, "/to", undefined);
  const numbers = await chooseNumbers("docs", targets, {
    objectStore,
    context: {} as ServiceTools["context"],
  });
  expect(numbers.slice(0, 3)).toEqual([1, 3, 4]);
  expect(numbers.at(-1)).toBe(1_002);
  expect(new Set(numbers).size).toBe(1_000);
  expect(list).toHaveBeenCalledTimes(1);
});

it("a name that is numbered on keeps its place", () => {
  expect(numbered({ path: "/to/a (2).txt", isFolder: false }, 3).path).toBe("/to/a (5).txt");
  expect(numbered({ path: "/to/v1.2", isFolder: true }, 0).path).toBe("/to/v1.2");
});
