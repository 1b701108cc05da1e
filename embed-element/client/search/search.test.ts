import { beforeEach, expect, it, vi } from "vitest";
import { fileRow as file, folderRow as folder } from "../../../tests/support/files/rows";
import { FilesError } from "../errors";
import type { Call } from "../request";
import { realWorld } from "../world";
import { search } from "./search";

const page = { files: [], folders: [], scanned: 3, cursor: null };
const call = vi.fn();
const busy = (retryAfter?: number) => new FilesError("rate_limited", { status: 429, retryAfter });

beforeEach(() => {
  call.mockReset();
});

/** @returns the pages of a search or why it failed, and the pauses in it, in milliseconds */
async function run(cursor?: string) {
  const pauses: number[] = [];
  const timers = {
    start(act: () => void, milliseconds: number) {
      pauses.push(milliseconds);
      queueMicrotask(act);
      return () => {};
    },
  };
  const world = { ...realWorld, timers };
  const found = search(call as unknown as Call, world, "/docs", "a", { cursor });
  const pages: unknown[] = [];
  try {
    for await (const page of found) pages.push(page);
  } catch (error) {
    return { result: error, pauses };
  }
  return { result: pages, pauses };
}

it("yields what each request has found, folders first, and continues where it was", async () => {
  const { type: _, ...entry } = file("docs/a.txt") as Extract<ReturnType<typeof file>, { type: "file" }>;
  call
    .mockResolvedValueOnce({
      files: [entry],
      folders: [{ name: "a", path: "/docs/a" }],
      scanned: 5,
      cursor: "1",
    })
    .mockResolvedValueOnce(page);
  const { result } = await run("0");
  expect(result).toEqual([
    { rows: [folder("/docs/a"), file("docs/a.txt")], scanned: 5, cursor: "1" },
    { rows: [], scanned: 3, cursor: null },
  ]);
  const cursors = call.mock.calls.map(([, request]) => request);
  expect(cursors).toEqual(["0", "1"].map((cursor) => ({ folderPath: "/docs", query: "a", cursor })));
});

it("a busy server is asked again, after the time that it names", async () => {
  call.mockRejectedValueOnce(busy(2)).mockRejectedValueOnce(busy(1)).mockResolvedValue(page);
  expect(await run()).toEqual({ result: [{ rows: [], scanned: 3, cursor: null }], pauses: [2_000, 1_000] });
  expect(call).toHaveBeenCalledTimes(3);
});

it("a server that stays busy is given up after ten repetitions", async () => {
  const error = busy(1);
  call.mockRejectedValue(error);
  expect(await run()).toEqual({ result: error, pauses: Array(10).fill(1_000) });
});

it.each([
  ["names no time", new FilesError("unavailable")],
  ["names a long time", busy(5)],
  ["refuses", new FilesError("scope_not_allowed", { status: 403 })],
])("a server that %s is not asked again", async (_, error) => {
  call.mockRejectedValue(error);
  expect(await run()).toEqual({ result: error, pauses: [] });
});
