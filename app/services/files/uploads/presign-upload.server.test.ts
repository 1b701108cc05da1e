import { beforeEach, describe, expect, it, vi } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import { testEvents } from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectStore } from "../../../providers/object-store.server";
import { presignDownload } from "../downloads/presign-downloads.server";
import type { PresignUploadRequest } from "../place/contract/uploads-contract.server";
import type { FilesScope } from "../place/scope.server";
import { presignUpload } from "./presign-upload.server";

const presignPut = vi.fn<ObjectStore["presignPut"]>(async () => ({
  url: "https://store.example/put",
  headers: {},
}));
const presignGet = vi.fn<ObjectStore["presignGet"]>(async () => "https://store.example/get");
const describeObject = vi.fn<ObjectStore["describeObject"]>();
const integrityChecks = vi.fn<ObjectStore["integrityChecks"]>();
beforeEach(() => {
  vi.clearAllMocks();
  describeObject.mockResolvedValue(null);
  integrityChecks.mockResolvedValue({ checksums: true, contentMd5: true });
});
const objectStore = {
  presignPut,
  presignGet,
  describeObject,
  integrityChecks,
  enforcesConditions: true,
  maxPresignedSeconds: async () => Number.POSITIVE_INFINITY,
};
const tools = {
  objectStore,
  events: testEvents(),
  context: {},
  nowSeconds: 1_000,
} as unknown as ServiceTools;
const file = { token: "t", bucket: "docs", folderPath: "/a", ifNoneMatch: true, size: 5 };
const upload = (changes: Partial<PresignUploadRequest> = {}, grant = testGrant(), given = tools) =>
  presignUpload({ ...file, fileName: "x.txt", contentType: "text/plain", ...changes }, grant, given);
const download = (grant = testGrant()) =>
  presignDownload({ token: "t", bucket: "docs", key: "a/x.txt", disposition: "attachment" }, grant, tools);
const outside = (message: string) => ({ code: "scope_not_allowed", message });

describe("what the token allows", () => {
  const image = { fileName: "a.png", contentType: "image/png" };
  const within = (limits: FilesScope["limits"], changes: Partial<PresignUploadRequest> = {}) =>
    upload({ ...image, ...changes }, testGrant({ limits }));

  it("is uploading and downloading where it does not say", async () => {
    await expect(upload()).resolves.toMatchObject({ method: "PUT" });
    await expect(download()).resolves.toMatchObject({ method: "GET" });
  });

  it("is asked for each", async () => {
    const looking = testGrant({ actions: [] });
    await expect(upload({}, looking)).rejects.toMatchObject(
      outside("This token does not allow upload (scope.actions)."),
    );
    await expect(download(looking)).rejects.toMatchObject(
      outside("This token does not allow download (scope.actions)."),
    );
    await expect(upload({}, testGrant({ actions: ["upload"] }))).resolves.toMatchObject({ method: "PUT" });
    await expect(download(testGrant({ actions: ["upload"] }))).rejects.toMatchObject({
      code: "scope_not_allowed",
    });
    expect(presignPut).toHaveBeenCalledTimes(1);
    expect(presignGet).not.toHaveBeenCalled();
  });

  it("is a largest size, which then has to be said", async () => {
    await expect(within({ maxFileBytes: 5 })).resolves.toMatchObject({ method: "PUT" });
    await expect(within({ maxFileBytes: 4 })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("4 bytes"),
    });
    await expect(within({ maxFileBytes: 4 }, { size: undefined })).rejects.toMatchObject({
      code: "invalid_request",
      issues: [{ path: "size", message: expect.stringContaining("is required") }],
    });
    await expect(within({ fileTypes: ["image/*"] }, { size: undefined })).resolves.toMatchObject({
      method: "PUT",
    });
  });

  it("is a list of types", async () => {
    await expect(within({ fileTypes: ["image/*"] })).resolves.toMatchObject({ method: "PUT" });
    await expect(within({ fileTypes: [".pdf", "text/plain"] })).rejects.toMatchObject({
      code: "type_not_allowed",
      message: "Only these types may be uploaded with this token: .pdf, text/plain.",
    });
    await expect(within({ fileTypes: [] })).rejects.toMatchObject({
      message: expect.stringMatching(/: none\.$/),
    });
  });
});

describe("a store that may ignore conditions", () => {
  const forgetful: ServiceTools = {
    ...tools,
    objectStore: { ...tools.objectStore, enforcesConditions: false },
  };
  const taken = {
    size: 1,
    etag: "e",
    modified: 0,
    checksum: undefined,
    contentType: undefined,
    uploadMark: undefined,
    headers: {},
  };

  it("is asked first whether the name is free, unless the upload may overwrite", async () => {
    await expect(upload({}, testGrant(), forgetful)).resolves.toMatchObject({ key: "a/x.txt" });
    expect(describeObject.mock.calls[0]?.[0]).toEqual({ bucket: "docs", key: "a/x.txt" });
    describeObject.mockResolvedValue(taken);
    await expect(upload({}, testGrant(), forgetful)).rejects.toMatchObject({ code: "name_taken" });
    expect(presignPut).toHaveBeenCalledTimes(1);
    await expect(upload({ ifNoneMatch: false }, testGrant(), forgetful)).resolves.toBeDefined();
  });

  it("is not Amazon S3, which is not asked", async () => {
    await upload();
    expect(describeObject).not.toHaveBeenCalled();
  });
});

it.each([
  [{ checksums: true, contentMd5: true }, "checksum"],
  [{ checksums: true, contentMd5: undefined }, "checksum"],
  [{ checksums: false, contentMd5: true }, "contentMd5"],
  [{ checksums: undefined, contentMd5: undefined }, "contentMd5"],
  [{ checksums: false, contentMd5: false }, null],
])("a store that compares %j gets uploads with %s", async (checks, integrity) => {
  integrityChecks.mockResolvedValue(checks);
  await expect(upload()).resolves.toMatchObject({ integrity });
});
