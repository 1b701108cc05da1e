import { beforeEach, describe, expect, it, vi } from "vitest";
import type { StoreTools } from "../../../embed/service";
import type { ObjectStore } from "../../../providers/object-store.server";
import { checkedVersion } from "./required-tag.server";

const store = {
  readTags: vi.fn<ObjectStore["readTags"]>(),
  describeObject: vi.fn<ObjectStore["describeObject"]>(),
  keepsVersions: vi.fn<ObjectStore["keepsVersions"]>(),
};
const tools = { objectStore: store, context: { requestId: "r" } } as unknown as StoreTools;
const file = { bucket: "docs", key: "a.txt" };
const requireTag = { key: "scan", value: "clean" };
const tagsOf = (value: string, versionId?: string) => ({ tags: new Map([["scan", value]]), versionId });
const described = (versionId: string | undefined) => ({
  size: 1,
  etag: '"e"',
  uploadMark: undefined,
  modified: 0,
  contentType: undefined,
  headers: {},
  versionId,
});

beforeEach(() => {
  vi.resetAllMocks();
  store.keepsVersions.mockResolvedValue(true);
});

describe("a store that does not say which version has the tags", () => {
  it("is asked for the newest version and the tags of that one", async () => {
    store.readTags.mockResolvedValueOnce(tagsOf("clean")).mockResolvedValueOnce(tagsOf("clean", "v2"));
    store.describeObject.mockResolvedValue(described("v2"));
    expect(await checkedVersion(file, requireTag, tools)).toEqual({ versionId: "v2" });
    expect(store.readTags.mock.calls.map(([asked]) => asked)).toEqual([file, { ...file, versionId: "v2" }]);
  });

  it("is believed about the version, not about the tags that were read before it", async () => {
    store.readTags.mockResolvedValueOnce(tagsOf("clean")).mockResolvedValueOnce(tagsOf("infected", "v2"));
    store.describeObject.mockResolvedValue(described("v2"));
    await expect(checkedVersion(file, requireTag, tools)).rejects.toMatchObject({ code: "blocked" });
  });

  it("serves nothing if it names no version at all", async () => {
    store.readTags.mockResolvedValue(tagsOf("clean"));
    store.describeObject.mockResolvedValue(described(undefined));
    await expect(checkedVersion(file, requireTag, tools)).rejects.toMatchObject({ code: "provider_failed" });
  });

  it("has no such file if it was deleted meanwhile", async () => {
    store.readTags.mockResolvedValue(tagsOf("clean"));
    store.describeObject.mockResolvedValue(null);
    expect(await checkedVersion(file, requireTag, tools)).toBeNull();
  });
});
