import type { FilesClient, FilesEvents, FolderSizes as Told } from "platform-embed-element/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { folderRow as folder } from "../../../../../tests/support/files/rows";
import { FolderSizes } from "./folder-sizes";
import { bytesOfFolders } from "./use-folder-sizes";

const asOf = "2026-11-29T10:00:00.000Z";
const sizes = vi.fn<FilesClient["sizes"]>();
let happen: Partial<Record<keyof FilesEvents, () => void>>;
let known: FolderSizes;

beforeEach(() => {
  vi.useFakeTimers();
  happen = {};
  sizes.mockReset().mockImplementation(async (paths) => tell(paths.map((path) => sizeOf(path))));
  const on = ((name: keyof FilesEvents, listener: () => void) => {
    happen[name] = listener;
    return () => {
      delete happen[name];
    };
  }) as FilesClient["on"];
  known = new FolderSizes({ sizes, on });
});
afterEach(() => {
  known.close();
  vi.useRealTimers();
});

const tell = (sizes: Told["sizes"]): Told => ({ source: "catalogue", asOf, sizes });
const sizeOf = (path: string) => (path === "/huge" ? null : { files: 1, bytes: path.length });
const byPath = () => Object.fromEntries(known.getState().byPath);
const askTogether = () => vi.advanceTimersByTimeAsync(100);

test("folders that appear together are asked about in one request, and each once", async () => {
  for (const path of ["/a", "/huge", "/left"]) {
    const leave = known.want({ path });
    if (path === "/left") leave();
  }
  await askTogether();
  known.want({ path: "/a" });
  known.want({ path: "/huge" });
  await askTogether();
  expect(sizes.mock.calls).toEqual([[["/a", "/huge"]]]);
  expect(byPath()).toEqual({ "/a": { files: 1, bytes: 2 }, "/huge": null });
  expect(known.getState().asOf).toBe(asOf);
});

test("a folder with too many files is counted on demand", async () => {
  sizes.mockResolvedValueOnce(tell([null])).mockResolvedValueOnce(tell([{ files: 9, bytes: 9 }]));
  const { signal } = new AbortController();
  expect(await known.count("/huge", signal)).toBe(false);
  expect(byPath()).toEqual({ "/huge": null });
  expect(await known.count("/huge", signal)).toBe(true);
  expect(byPath()).toEqual({ "/huge": { files: 9, bytes: 9 } });
  expect(sizes).toHaveBeenLastCalledWith(["/huge"], { thorough: true, signal });
});

test("what was asked before a change is asked again after it", async () => {
  let answer: (told: Told) => void = () => {};
  sizes.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  known.want({ path: "/a" });
  await askTogether();
  happen.changed?.();
  answer(tell([{ files: 0, bytes: 0 }]));
  await askTogether();
  await askTogether();
  expect(byPath()).toEqual({ "/a": { files: 1, bytes: 2 } });
  happen.uploaded?.();
  expect(byPath()).toEqual({});
  known.want({ path: "/a" });
  await askTogether();
  expect(byPath()).toEqual({ "/a": { files: 1, bytes: 2 } });
  expect(sizes).toHaveBeenCalledTimes(3);
});

test("after a failure they are asked about when they appear again; a closed one hears of nothing", async () => {
  sizes.mockRejectedValueOnce(new Error("offline"));
  known.want({ path: "/a" });
  await askTogether();
  expect(byPath()).toEqual({});
  known.want({ path: "/a" });
  await askTogether();
  expect(byPath()).toEqual({ "/a": { files: 1, bytes: 2 } });
  known.close();
  expect(happen).toEqual({});
});

test("the sizes of all folders are known, or none of them is used", async () => {
  for (const path of ["/a", "/huge"]) known.want({ path });
  await askTogether();
  const deletion = { at: asOf, count: 1, size: 5 };
  const rows = [folder("/a"), { ...folder("/deleted"), deletion }];
  expect(bytesOfFolders(rows, known.getState())).toEqual(new Map([["/a", 2]]));
  for (const path of ["/huge", "/b"])
    expect(bytesOfFolders([...rows, folder(path)], known.getState())).toBeNull();
});
