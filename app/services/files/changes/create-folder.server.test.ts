import { beforeEach, describe, expect, it, vi } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import { testEvents } from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectStore } from "../../../providers/object-store.server";
import { nameTaken } from "../../../providers/store-failure.server";
import { AppError } from "../../../shared/app-error";
import type { FilesScope } from "../place/scope.server";
import { createFolder } from "./create-folder.server";
import { readUndo } from "./undo.server";

const describeObject = vi.fn<ObjectStore["describeObject"]>();
const create = vi.fn<ObjectStore["createFolder"]>();
const tools = {
  events: testEvents(),
  objectStore: { describeObject, createFolder: create },
  signingSecrets: ["secret"],
  nowSeconds: 1_000,
  context: { deadline: 1 },
} as unknown as ServiceTools;
const grant = testGrant();
const make = () => createFolder({ token: "t", bucket: "docs", folderPath: "/a", name: "b" }, grant, tools);
const there = {
  size: 0,
  etag: '"e"',
  uploadMark: undefined,
  modified: 0,
  contentType: undefined,
  headers: {},
};
const conflict = new AppError("upload_conflict", "Another upload with that name finished first.");

beforeEach(() => {
  describeObject.mockReset().mockResolvedValue(null);
  create.mockReset().mockResolvedValue({ etag: '"e"' });
});

describe("a folder", () => {
  it("is an object whose key ends with a slash", async () => {
    await expect(make()).resolves.toEqual({ path: "/a/b" });
    expect(create.mock.calls).toEqual([[{ bucket: "docs", key: "a/b/" }, tools.context]]);
  });

  it("comes with a handle that removes it, if the token may delete", async () => {
    const request = { token: "t", bucket: "docs", folderPath: "/a", name: "b" };
    const scope = { bucket: "docs", actions: ["organize", "delete"] } as FilesScope;
    const { undo = "" } = await createFolder(request, { ...grant, scope }, tools);
    const objects = [{ key: "a/b/", etag: '"e"' }];
    expect(readUndo(undo, "docs", grant, tools)).toMatchObject({ kind: "created", objects });
    describeObject.mockResolvedValue(there);
    expect(await createFolder(request, { ...grant, scope }, tools)).toEqual({ path: "/a/b" });
  });

  it("that is there is not written, because some stores would overwrite it", async () => {
    describeObject.mockResolvedValue(there);
    await expect(make()).resolves.toEqual({ path: "/a/b" });
    expect(create).not.toHaveBeenCalled();
  });

  it("is there too when another made it meanwhile", async () => {
    create.mockRejectedValue(nameTaken());
    await expect(make()).resolves.toEqual({ path: "/a/b" });
    create.mockRejectedValue(conflict);
    describeObject.mockResolvedValueOnce(null).mockResolvedValueOnce(there);
    await expect(make()).resolves.toEqual({ path: "/a/b" });
  });

  it.each([
    [{}, "made"],
    [{ actions: ["organize"] }, "made"],
    [{ actions: ["upload"] }, "made"],
    [{ actions: ["download", "delete"] }, "This token does not allow upload (scope.actions)."],
    [{ actions: [] }, "This token does not allow upload (scope.actions)."],
    [{ bucket: "other" }, "That bucket is outside what this token reaches."],
    [{ path: "/b" }, "That folder is outside where this token may upload."],
    [{ path: "/b", uploadFolder: "/a" }, "made"],
  ] as const)("with a token of the scope %j: %s", async (changes, outcome) => {
    const scope = { ...grant.scope, ...changes } as FilesScope;
    const request = { token: "t", bucket: "docs", folderPath: "/a", name: "b" };
    const made = createFolder(request, { ...grant, scope }, tools).then(
      () => "made",
      ({ message }: Error) => message,
    );
    expect(await made).toBe(outcome);
    expect(create).toHaveBeenCalledTimes(outcome === "made" ? 1 : 0);
  });

  it("is not there when the store refused it", async () => {
    create.mockRejectedValue(conflict);
    await expect(make()).rejects.toBe(conflict);
    const failed = new AppError("unavailable", "The object store cannot be reached.");
    create.mockRejectedValue(failed);
    describeObject.mockResolvedValueOnce(null).mockResolvedValueOnce(there);
    await expect(make()).rejects.toBe(failed);
  });
});
