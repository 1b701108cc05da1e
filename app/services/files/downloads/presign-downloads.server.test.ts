import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import {
  emptyDatabase,
  noCatalogues,
  noQuotas,
  testClaims,
  testEvents,
} from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectStore } from "../../../providers/object-store.server";
import { AppError } from "../../../shared/app-error";
import { standardError } from "../../../shared/log.server";
import { currentMetrics, startMetrics } from "../../../telemetry/metrics.server";
import type { PresignDownloadRequest } from "../place/contract/storage-contract.server";
import type { PresignUploadRequest } from "../place/contract/uploads-contract.server";
import type { FilesScope } from "../place/scope.server";
import { presignUpload } from "../uploads/presign-upload.server";
import { presignDownload } from "./presign-downloads.server";

const presignPut = vi.fn<ObjectStore["presignPut"]>();
const presignGet = vi.fn<ObjectStore["presignGet"]>();
const maxPresignedSeconds = vi.fn<ObjectStore["maxPresignedSeconds"]>();
const describeObject = vi.fn<ObjectStore["describeObject"]>();
const storedAs = (contentType: string | undefined) => ({
  size: 1,
  etag: '"e"',
  modified: 0,
  uploadMark: undefined,
  headers: {},
  contentType,
});
beforeEach(() => {
  presignPut
    .mockReset()
    .mockResolvedValue({ url: "https://store.example/put", headers: { "X-Signed": "1" } });
  presignGet.mockReset().mockResolvedValue("https://store.example/get");
  maxPresignedSeconds.mockReset().mockResolvedValue(Number.POSITIVE_INFINITY);
  describeObject.mockReset().mockResolvedValue(storedAs("image/png"));
});
afterEach(() => vi.restoreAllMocks());

const context = { requestId: "r", route: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY };
const toolsAt = (nowSeconds: number): ServiceTools => ({
  events: testEvents(),
  claims: testClaims(),
  catalogues: noCatalogues,
  quotas: noQuotas,
  database: emptyDatabase,
  objectStore: {
    presignPut,
    presignGet,
    describeObject,
    integrityChecks: async () => ({ checksums: true, contentMd5: true }),
    enforcesConditions: true,
    maxPresignedSeconds,
  } as unknown as ObjectStore,
  context,
  nowSeconds,
  production: true,
  platformBaseUrl: "https://embed.example.com",
  signingSecrets: ["a-secret-of-at-least-thirty-two-bytes"],
});
const grantFor = (scope?: Partial<FilesScope>, expiresAt = 2_000) => testGrant(scope, { expiresAt });
const upload = (changes: Partial<PresignUploadRequest> = {}, grant = grantFor(), nowSeconds = 1_000) =>
  presignUpload(
    {
      token: "t",
      bucket: "docs",
      folderPath: "/a",
      fileName: "x.txt",
      contentType: "text/plain",
      ifNoneMatch: true,
      size: 5,
      ...changes,
    },
    grant,
    toolsAt(nowSeconds),
  );
const download = (changes: object = {}, grant = grantFor(), nowSeconds = 1_000) =>
  presignDownload(
    {
      token: "t",
      bucket: "docs",
      key: "a/x.txt",
      disposition: "attachment",
      ...changes,
    } as PresignDownloadRequest,
    grant,
    toolsAt(nowSeconds),
  );
const outside = (what: string) => ({ code: "scope_not_allowed", message: what });

describe("an upload's URL", () => {
  it("is signed for five minutes, with all that was asked for", async () => {
    expect(await upload()).toEqual({
      url: "https://store.example/put",
      method: "PUT",
      headers: { "X-Signed": "1" },
      bucket: "docs",
      key: "a/x.txt",
      integrity: "checksum",
      expiresAt: 1_300,
    });
    expect(presignPut.mock.calls).toEqual([
      [
        {
          bucket: "docs",
          key: "a/x.txt",
          contentType: "text/plain",
          size: 5,
          checksum: undefined,
          contentMd5: undefined,
          ifNoneMatch: true,
          isMarkInUrl: false,
          uploadMark: expect.stringMatching(/^[0-9a-f-]{36}$/),
          expiresInSeconds: 300,
        },
      ],
    ]);
  });

  it("is for the token's upload folder, or its path, or anywhere", async () => {
    const notThere = outside("That folder is outside where this token may upload.");
    await expect(upload({}, grantFor({ path: "/", uploadFolder: "/b" }))).rejects.toMatchObject(notThere);
    await expect(upload({}, grantFor({ path: "/b" }))).rejects.toMatchObject(notThere);
    await expect(upload({ bucket: "other" })).rejects.toMatchObject(
      outside("That bucket is outside what this token reaches."),
    );
    expect(presignPut).not.toHaveBeenCalled();
    await upload({}, grantFor({ path: "/b", uploadFolder: "/a" }));
    await upload({}, grantFor({ path: "/a" }));
    await upload({ folderPath: "/" });
    expect(presignPut.mock.calls.map(([{ key }]) => key)).toEqual(["a/x.txt", "a/x.txt", "x.txt"]);
  });

  it("is counted", async () => {
    startMetrics({
      poolState: () => ({ total: 0, idle: 0, waiting: 0 }),
      webhooksOverdueSeconds: async () => 0,
    });
    await upload();
    expect((await currentMetrics()?.uploads.get())?.values).toContainEqual({
      labels: { kind: "single" },
      value: 1,
    });
  });

  it("lives no longer than its token, and none is signed for one that ends while its request is answered", async () => {
    expect(await upload({}, grantFor({}, 1_299))).toMatchObject({ expiresAt: 1_299 });
    expect(await upload({}, grantFor(), 1_999)).toMatchObject({ expiresAt: 2_000 });
    for (const late of [2_000, 2_003]) {
      await expect(upload({}, grantFor(), late)).rejects.toMatchObject({
        code: "token_expired",
        message: "The embed token has expired. Ask your backend for a new one.",
      });
    }
  });
});

describe("a download's URL", () => {
  it("is signed for five minutes as mere bytes, under the file's own name", async () => {
    expect(await download()).toEqual({
      url: "https://store.example/get",
      method: "GET",
      bucket: "docs",
      key: "a/x.txt",
      expiresAt: 1_300,
    });
    const byFolder = {
      token: "t",
      bucket: "docs",
      folderPath: "/",
      fileName: "y.txt",
      disposition: "attachment",
    } as const;
    expect(await presignDownload(byFolder, grantFor({}, 1_010), toolsAt(1_000))).toMatchObject({
      key: "y.txt",
      expiresAt: 1_010,
    });
    const bytes = { bucket: "docs", contentType: "application/octet-stream" };
    expect(presignGet.mock.calls[0]).toEqual([
      {
        ...bytes,
        key: "a/x.txt",
        contentDisposition: "attachment; filename=\"x.txt\"; filename*=UTF-8''x.txt",
        expiresInSeconds: 300,
      },
    ]);
    expect(presignGet.mock.calls.at(-1)).toMatchObject([{ ...bytes, key: "y.txt", expiresInSeconds: 10 }]);
    expect(describeObject).not.toHaveBeenCalled();
  });

  it("is for a file inside the token's path", async () => {
    await expect(download({ bucket: "other" })).rejects.toMatchObject(
      outside("That bucket is outside what this token reaches."),
    );
    for (const key of ["b/x.txt", "a", "ab/x.txt"]) {
      await expect(download({ key }, grantFor({ path: "/a" }))).rejects.toMatchObject(
        outside("That path is outside what this token reaches."),
      );
    }
    expect(presignGet).not.toHaveBeenCalled();
    await download({}, grantFor({ path: "/a", uploadFolder: "/b" }));
    await download();
    expect(presignGet).toHaveBeenCalledTimes(2);
  });

  it("shows a file as the harmless type it was stored with, asked for in two seconds at most", async () => {
    await download({ disposition: "inline" });
    expect(describeObject.mock.calls).toEqual([[{ bucket: "docs", key: "a/x.txt" }, context, 2_000]]);
    describeObject.mockResolvedValue(storedAs("text/html"));
    await download({ disposition: "inline" });
    describeObject.mockResolvedValue(storedAs(undefined));
    await download({ disposition: "inline" });
    expect(presignGet.mock.calls.map(([{ contentType }]) => contentType)).toEqual([
      "image/png",
      "application/octet-stream",
      "text/plain",
    ]);
    expect(presignGet.mock.calls[0]?.[0].contentDisposition).toMatch(/^inline; filename="x\.txt"/);
  });

  it("shows mere bytes where the store does not tell the type, which is worth a line unless the file is gone", async () => {
    const warn = vi.spyOn(standardError, "write").mockImplementation(() => {});
    const failures = [
      new AppError("unavailable", "Try again.", { logDetail: "The store is down." }),
      new AppError("unavailable", "Try again."),
    ];
    for (const failure of failures) {
      describeObject.mockRejectedValue(failure);
      await download({ disposition: "inline" });
      expect(presignGet.mock.lastCall).toMatchObject([{ contentType: "application/octet-stream" }]);
    }
    describeObject.mockResolvedValue(null);
    await download({ disposition: "inline" });
    expect(presignGet.mock.lastCall).toMatchObject([{ contentType: "application/octet-stream" }]);
    expect(warn.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { requestId: "r", message: "The type of an object is unknown. The store is down." },
      { requestId: "r", message: "The type of an object is unknown. Try again." },
    ]);
  });

  it("does not hide a defect", async () => {
    describeObject.mockRejectedValue(new TypeError("a defect"));
    await expect(download({ disposition: "inline" })).rejects.toThrow(TypeError);
  });
});
