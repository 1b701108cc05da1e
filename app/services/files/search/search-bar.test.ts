import { expect, it, vi } from "vitest";
import { realTiming } from "../place/contract/retry";
import { StorageProblem } from "../place/contract/storage-problem";
import { searchPage } from "./search-bar";

const page = { files: [], folders: [], scanned: 3, cursor: null };
const request = { folderPath: "/docs", query: "a", cursor: "here" };
const search = vi.fn();
const busy = (retryAfter?: number) =>
  new StorageProblem("unavailable", { serverCode: "rate_limited", retryAfter });

/** @returns the result of a search, and the pauses in it, in milliseconds */
async function run(signal = new AbortController().signal) {
  const pauses: number[] = [];
  const timing = { ...realTiming, wait: async (milliseconds: number) => void pauses.push(milliseconds) };
  const result = await searchPage({ call: search }, request, signal, timing).catch((error: unknown) => error);
  return { result, pauses };
}

it("a busy server is asked again, with the same cursor, after the time that it names", async () => {
  search.mockReset().mockRejectedValueOnce(busy(2)).mockRejectedValueOnce(busy(1)).mockResolvedValue(page);
  expect(await run()).toEqual({ result: page, pauses: [2_000, 1_000] });
  expect(search.mock.calls.map((asked) => asked.slice(0, 2))).toEqual(Array(3).fill(["search", request]));
});

it("a server that stays busy is given up after ten repetitions", async () => {
  const problem = busy(1);
  search.mockReset().mockRejectedValue(problem);
  expect(await run()).toEqual({ result: problem, pauses: Array(10).fill(1_000) });
});

it.each([
  ["names no time", new StorageProblem("unavailable")],
  ["names a long time", busy(5)],
  ["refuses", new StorageProblem("denied")],
])("a server that %s is not asked again", async (_, problem) => {
  search.mockReset().mockRejectedValue(problem);
  expect(await run()).toEqual({ result: problem, pauses: [] });
});
