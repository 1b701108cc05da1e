import { beforeEach, describe, expect, it, vi } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import type { ObjectStore } from "../../../providers/object-store.server";
import type { FilesScope } from "../place/scope.server";
import { listFolder } from "./list-folder.server";

const context = { requestId: "r", route: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY };
const lastModified = new Date("2026-01-02T03:04:05.678Z");
const objectAt = (key: string, size = 7) => ({ key, size, lastModified, etag: '"e"', modified: 0 });
const list = vi.fn<ObjectStore["list"]>();
beforeEach(() => {
  list.mockReset().mockResolvedValue({ prefixes: [], objects: [], nextCursor: null });
});

const listAt = (
  folderPath: string | undefined,
  scope: Partial<FilesScope> = {},
  more: { cursor?: string; limitMs?: number; bucket?: string } = {},
) =>
  listFolder({ bucket: "docs", folderPath, pageSize: 200, ...more }, testGrant(scope), {
    objectStore: { list } as unknown as ObjectStore,
    context,
  });

describe("listing a folder", () => {
  it("asks the store for that folder's page, within the request's time", async () => {
    await listAt("/a/b", {}, { cursor: "c", limitMs: 4_000 });
    await listAt("/");
    expect(list.mock.calls).toEqual([
      [{ bucket: "docs", prefix: "a/b/", cursor: "c", pageSize: 200, limitMs: 4_000 }, context],
      [{ bucket: "docs", prefix: "", cursor: undefined, pageSize: 200, limitMs: undefined }, context],
    ]);
  });

  it("lists the token's folder, or the whole bucket, where none is named", async () => {
    await listAt(undefined, { path: "/a" });
    await listAt(undefined);
    expect(list.mock.calls.map(([{ prefix }]) => prefix)).toEqual(["a/", ""]);
  });

  it("names what lies in it", async () => {
    list.mockResolvedValue({
      prefixes: ["a/b/", "a/c d/"],
      objects: [objectAt("a/x.txt")],
      nextCursor: "next",
    });
    expect(await listAt("/a")).toEqual({
      folders: [
        { name: "b", path: "/a/b" },
        { name: "c d", path: "/a/c d" },
      ],
      files: [
        { name: "x.txt", key: "a/x.txt", size: 7, lastModified: "2026-01-02T03:04:05.678Z", etag: '"e"' },
      ],
      nextCursor: "next",
    });
    list.mockResolvedValue({ prefixes: ["b/"], objects: [objectAt("x.txt")], nextCursor: null });
    expect(await listAt("/")).toMatchObject({
      folders: [{ name: "b", path: "/b" }],
      files: [{ name: "x.txt", key: "x.txt" }],
      nextCursor: null,
    });
  });

  it("says where there is no such folder: one without a key, unless it is the bucket's root or further pages have been read", async () => {
    expect(await listAt("/a")).toEqual({ folders: [], files: [], nextCursor: null, exists: false });
    expect(await listAt("/")).not.toHaveProperty("exists");
    expect(await listAt("/a", {}, { cursor: "c" })).not.toHaveProperty("exists");
    // A store may send an empty page before the last one.
    list.mockResolvedValueOnce({ prefixes: [], objects: [], nextCursor: "next" });
    expect(await listAt("/a")).not.toHaveProperty("exists");
    // Its marker alone is a folder too.
    list.mockResolvedValue({ prefixes: [], objects: [objectAt("a/", 0)], nextCursor: null });
    expect(await listAt("/a")).toEqual({ folders: [], files: [], nextCursor: null });
  });

  it("names everything that the store has, whatever the keys; the folder's own object only with content", async () => {
    const keys = ["a/", "a/..", "a/\\", "a/new\nline", "a/ok"];
    list.mockResolvedValue({
      prefixes: ["a//", "a/../", "a/ok/"],
      objects: keys.map((key) => objectAt(key)),
      nextCursor: null,
    });
    const { folders, files } = await listAt("/a");
    expect(folders).toEqual([
      { name: "", path: "/a//" },
      { name: "..", path: "/a/.." },
      { name: "ok", path: "/a/ok" },
    ]);
    expect(files.map(({ name }) => name)).toEqual(["a/", "..", "\\", "new\nline", "ok"]);
    expect(files.map(({ key }) => key)).toEqual(keys);
    list.mockResolvedValue({ prefixes: [], objects: [objectAt("a/", 0)], nextCursor: null });
    expect((await listAt("/a")).files).toEqual([]);
  });

  it("is refused outside the token's bucket and path", async () => {
    await expect(listAt("/", {}, { bucket: "other" })).rejects.toMatchObject({
      code: "scope_not_allowed",
      message: "That bucket is outside what this token reaches.",
    });
    for (const path of ["/", "/b", "/ab"]) {
      await expect(listAt(path, { path: "/a" })).rejects.toMatchObject({
        code: "scope_not_allowed",
        message: "That path is outside what this token reaches.",
      });
    }
    expect(list).not.toHaveBeenCalled();
    // What may be uploaded to is not a limit for what may be seen.
    await listAt("/b", { uploadFolder: "/a" });
    expect(list).toHaveBeenCalledOnce();
  });
});
