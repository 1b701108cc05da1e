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

it("files whose names differ in their number alone share one listing, however many of them are there", async () => {
  const there = Array.from({ length: 2_500 }, (_, index) => `to/a (${index + 1}).txt`);
  const others = ["to/a (2501).pdf", "to/a (02502).txt", "to/a (2503) b.txt"];
  const objects = [...there, ...others].map((key) => ({ key }));
  const list = vi.fn(async ({ cursor = "0" }: { cursor?: string }) => {
    const [from, until] = [Number(cursor), Number(cursor) + 1_000];
    const nextCursor = until < objects.length ? String(until) : null;
    return { prefixes: ["to/a (2501).txt/"], objects: objects.slice(from, until), nextCursor };
  });
  const objectStore = {
    describeObject: async ({ key }: { key: string }) => (key === "to/a (9).pdf" ? null : { size: 1 }),
    list,
  } as unknown as ServiceTools["objectStore"];
  const names = [...Array.from({ length: 14 }, (_, index) => `a (${index + 1}).txt`), "a.pdf", "a (9).pdf"];
  const targets = targetsOf(
    names.map((name) => ({ path: `/from/${name}`, isFolder: false })),
    "/to",
    undefined,
  );
  const tools = { objectStore, context: {} as ServiceTools["context"] };
  const numbers = await chooseNumbers("docs", targets, tools);
  const chosen = targets.map((target, index) => numbered(target, numbers[index] ?? 0).path);
  // A folder has the name with 2501.
  const numbered14 = Array.from({ length: 14 }, (_, index) => `/to/a (${2_502 + index}).txt`);
  expect(chosen).toEqual([...numbered14, "/to/a (1).pdf", "/to/a (9).pdf"]);
  expect(list).toHaveBeenCalledTimes(3);
});

it("a name that is numbered on keeps its place", () => {
  expect(numbered({ path: "/to/a (2).txt", isFolder: false }, 3).path).toBe("/to/a (5).txt");
  expect(numbered({ path: "/to/v1.2", isFolder: true }, 0).path).toBe("/to/v1.2");
});
