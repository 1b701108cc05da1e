import { beforeEach, describe, expect, it, vi } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import { testEvents } from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import type { StoredPart } from "../../../providers/multipart.server";
import type { ObjectStore } from "../../../providers/object-store.server";
import { nameTaken } from "../../../providers/store-failure.server";
import { AppError } from "../../../shared/app-error";
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  findMultipartUpload,
  listUploadParts,
  signUploadParts,
} from "./multipart-uploads.server";
import { readUploadHandle, signUploadHandle } from "./upload-handle.server";

const MiB = 1024 ** 2;
const store = {
  listVersions: vi.fn(async () => ({ versions: [], prefixes: [], next: null })),
  describeObject: vi.fn<ObjectStore["describeObject"]>(),
  integrityChecks: vi.fn<ObjectStore["integrityChecks"]>(),
  createUpload: vi.fn<ObjectStore["createUpload"]>(),
  presignPart: vi.fn<ObjectStore["presignPart"]>(),
  listParts: vi.fn<ObjectStore["listParts"]>(),
  completeUpload: vi.fn<ObjectStore["completeUpload"]>(),
  abortUpload: vi.fn<ObjectStore["abortUpload"]>(),
  maxPresignedSeconds: async () => Number.POSITIVE_INFINITY,
};
const query = vi.fn<ServiceTools["database"]["$driverQuery"]>();
const tools = {
  events: testEvents(),
  database: { $driverQuery: query },
  objectStore: store,
  context: { deadline: Number.POSITIVE_INFINITY },
  nowSeconds: 1_000,
  signingSecrets: ["a-secret-of-at-least-thirty-two-bytes"],
} as unknown as ServiceTools;
const grant = testGrant();
const file = {
  token: "t",
  bucket: "docs",
  folderPath: "/a",
  fileName: "x.bin",
  contentType: "a/b",
  size: 17 * MiB,
  ifNoneMatch: true,
};
const created = { bucket: "docs", key: "a/x.bin", uploadId: "id", algorithm: "CRC32" } as const;
const upload = {
  ...created,
  companyId: "company",
  eventId: "event",
  contentType: "a/b",
  size: 17 * MiB,
  partSize: 8 * MiB,
  overwrite: false,
};
const handle = signUploadHandle(upload, tools);
const part = (number: number, size: number): StoredPart => ({
  number,
  size,
  etag: `"${number}"`,
  checksum: "c",
});
const whole = [part(1, 8 * MiB), part(2, 8 * MiB), part(3, 1 * MiB)];
const ours = {
  size: upload.size,
  etag: '"ours"',
  uploadMark: "event",
  modified: 0,
  contentType: undefined,
  headers: {},
};
const theirs = {
  size: 1,
  etag: '"theirs"',
  uploadMark: undefined,
  modified: 0,
  contentType: undefined,
  headers: {},
};
const failure = (code: "upload_not_found" | "upload_conflict" | "unavailable") =>
  new AppError(code, "failed");

beforeEach(() => {
  vi.clearAllMocks();
  query.mockReset().mockResolvedValue([]);
  store.describeObject.mockReset().mockResolvedValue(null);
  store.integrityChecks.mockReset().mockResolvedValue({ checksums: true, contentMd5: true });
  store.createUpload.mockReset().mockResolvedValue(created);
  store.presignPart.mockReset().mockResolvedValue({ url: "https://store.example/part", headers: { a: "b" } });
  store.listParts.mockReset().mockResolvedValue(whole);
  store.completeUpload
    .mockReset()
    .mockResolvedValue({ etag: '"done"', checksum: undefined, versionId: undefined });
  store.abortUpload.mockReset().mockResolvedValue(undefined);
});

describe("creating", () => {
  it("returns a handle that holds all that there is to know", async () => {
    const created = await createMultipartUpload(file, grant, tools);
    expect(created).toMatchObject({ key: "a/x.bin", partSize: 8 * MiB, partCount: 3, checksum: "CRC32" });
    const [{ uploadMark: eventId } = { uploadMark: "" }] = store.createUpload.mock.calls[0] ?? [];
    expect(readUploadHandle(created.upload, grant, tools)).toEqual({
      ...upload,
      eventId,
      exp: 1_000 + 7 * 24 * 3600,
    });
    expect(eventId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("asks for no checksum where the store is known to ignore it, and says what it compares instead", async () => {
    store.createUpload.mockResolvedValue({ ...created, algorithm: null });
    for (const [contentMd5, integrity] of [
      [true, "contentMd5"],
      [undefined, "contentMd5"],
      [false, null],
    ] as const) {
      store.integrityChecks.mockResolvedValue({ checksums: false, contentMd5 });
      await expect(createMultipartUpload(file, grant, tools)).resolves.toMatchObject({
        checksum: null,
        integrity,
      });
    }
    expect(store.createUpload.mock.lastCall?.[0]).toMatchObject({ withoutChecksum: true });
    store.integrityChecks.mockResolvedValue({ checksums: undefined, contentMd5: undefined });
    store.createUpload.mockResolvedValue(created);
    await expect(createMultipartUpload(file, grant, tools)).resolves.toMatchObject({
      integrity: "checksum",
    });
    expect(store.createUpload.mock.lastCall?.[0]).toMatchObject({ withoutChecksum: false });
  });

  it("asks what is there only where nothing may be overwritten", async () => {
    store.describeObject.mockResolvedValue(theirs);
    await expect(createMultipartUpload(file, grant, tools)).rejects.toMatchObject({
      code: "name_taken",
    });
    expect(store.createUpload).not.toHaveBeenCalled();
    expect(store.describeObject.mock.calls).toEqual([[{ bucket: "docs", key: "a/x.bin" }, tools.context]]);
    const { upload: made } = await createMultipartUpload({ ...file, ifNoneMatch: false }, grant, tools);
    expect(readUploadHandle(made, grant, tools).overwrite).toBe(true);
    expect(store.describeObject).toHaveBeenCalledTimes(1);
  });
});

describe("signing", () => {
  it("binds each part's length, for as long as the token lives, up to five minutes", async () => {
    const parts = [
      { number: 1, contentMd5: "md5" },
      { number: 3, checksum: "AAAAAA==" },
    ];
    const signed = await signUploadParts({ token: "t", upload: handle, parts }, grant, tools);
    const url = { url: "https://store.example/part", headers: { a: "b" } };
    expect(signed).toEqual({
      parts: [
        { number: 1, ...url },
        { number: 3, ...url },
      ],
      expiresAt: 1_300,
      serverTime: 1_000,
    });
    expect(store.presignPart.mock.calls.map(([, asked, seconds]) => [asked, seconds])).toEqual([
      [{ number: 1, size: 8 * MiB, contentMd5: "md5" }, 300],
      [{ number: 3, size: 1 * MiB, checksum: "AAAAAA==" }, 300],
    ]);
  });

  it("refuses a part that the upload does not have, and says which", async () => {
    const request = { token: "t", upload: handle, parts: [{ number: 3 }, { number: 4 }] };
    await expect(signUploadParts(request, grant, tools)).rejects.toMatchObject({
      issues: [{ path: "parts[1].number", message: "must be at most 3, the number of parts of this upload" }],
    });
  });
});

it("a list tells of a part what a page has to know", async () => {
  const { parts } = await listUploadParts({ upload: handle }, grant, tools);
  expect(parts[0]).toEqual({ number: 1, size: 8 * MiB, checksum: "c" });
});

describe("completing", () => {
  const complete = (changes: object = {}) =>
    completeMultipartUpload({ token: "t", upload: handle, ...changes }, grant, tools);
  const done = (etag: string) => ({ bucket: "docs", key: "a/x.bin", size: 17 * MiB, etag });

  it("names what the store lists, and passes on what was asked", async () => {
    await expect(complete({ checksum: "AAAAAA==" })).resolves.toEqual(done('"done"'));
    expect(store.completeUpload.mock.calls[0]?.slice(1, 3)).toEqual([
      whole,
      { checksum: "AAAAAA==", overwrite: false },
    ]);
    await complete({ overwrite: true });
    expect(store.completeUpload.mock.lastCall?.[2]).toMatchObject({ overwrite: true });
  });

  it("asks for the ETag where the store does not say it", async () => {
    store.completeUpload.mockResolvedValue({ etag: undefined, checksum: undefined, versionId: undefined });
    store.describeObject.mockResolvedValueOnce(null).mockResolvedValueOnce(ours);
    await expect(complete()).resolves.toEqual(done('"ours"'));
    await expect(complete()).resolves.toEqual(done(""));
  });

  it("records the checksum that the store says, whether it has just been done or was done before", async () => {
    const record = vi.spyOn(tools.events, "record");
    const said = { checksum: "CRC32:AAAAAA==", versionId: "v1" };
    const data = { size: 17 * MiB, contentType: "a/b", checksum: "CRC32:AAAAAA==", version: "v1" };
    store.completeUpload.mockResolvedValue({ ...said, etag: '"done"' });
    await complete();
    expect(record.mock.lastCall?.[0].data).toEqual({ ...data, etag: '"done"' });
    store.describeObject.mockResolvedValue({ ...ours, ...said });
    await complete();
    expect(record.mock.lastCall?.[0].data).toEqual({ ...data, etag: '"ours"' });
  });

  it("has been done where the object is this upload's", async () => {
    store.describeObject.mockResolvedValue(ours);
    await expect(complete()).resolves.toEqual(done('"ours"'));
    expect(store.listParts).not.toHaveBeenCalled();
  });

  it("is refused where the object is another's, unless it may be overwritten", async () => {
    store.describeObject.mockResolvedValue(theirs);
    await expect(complete()).rejects.toMatchObject({ code: "name_taken" });
    await expect(complete({ overwrite: true })).resolves.toEqual(done('"done"'));
  });

  it("has been done where one of the ten versions before is this upload's; the store is not asked about more", async () => {
    const versions = Array.from({ length: 300 }, (_, index) => ({
      key: "a/x.bin",
      versionId: `v${index}`,
      isMarker: false,
      size: 1,
      etag: '"theirs"',
      lastModified: new Date(),
    }));
    const page = { versions, prefixes: [], next: null } as never;
    store.listVersions.mockResolvedValueOnce(page).mockResolvedValueOnce(page);
    const isOurs = (wanted: string) =>
      store.describeObject.mockImplementation(async ({ versionId }) =>
        versionId === wanted ? ours : theirs,
      );
    isOurs("v9");
    await expect(complete()).resolves.toEqual(done('"ours"'));
    store.describeObject.mockClear();
    isOurs("v10");
    await expect(complete()).rejects.toMatchObject({ code: "name_taken" });
    // One question is about the current version.
    expect(store.describeObject).toHaveBeenCalledTimes(11);
  });

  it.each([
    [[part(1, 8 * MiB), part(3, 1 * MiB)], "2."],
    [[part(1, 8 * MiB), part(2, 8 * MiB - 1), part(3, 1 * MiB)], "2."],
    [[part(2, 8 * MiB), part(3, 8 * MiB)], "1, 3."],
    [[], "1, 2, 3."],
  ])("names the parts that are missing or too short: %#", async (parts, missing) => {
    store.listParts.mockResolvedValue(parts);
    await expect(complete()).rejects.toMatchObject({
      code: "upload_incomplete",
      message: `Parts of the upload are missing: ${missing}`,
    });
  });

  it("names twenty missing parts at most", async () => {
    store.listParts.mockResolvedValue([]);
    const named = (count: number) => {
      const large = signUploadHandle({ ...upload, size: count * 8 * MiB }, tools);
      return complete({ upload: large }).catch((error: Error) => error.message);
    };
    expect(await named(20)).toMatch(/: 1, .*, 20\.$/);
    expect(await named(21)).toMatch(/: 1, .*, 20 and more\.$/);
  });

  it.each([failure("upload_not_found"), failure("upload_conflict"), nameTaken()])(
    "was done by another request, or an earlier attempt, where the object is this upload's after all: %#",
    async (error) => {
      store.completeUpload.mockRejectedValue(error);
      store.describeObject.mockResolvedValueOnce(null).mockResolvedValueOnce(ours);
      await expect(complete()).resolves.toEqual(done('"ours"'));
      store.describeObject.mockResolvedValueOnce(null).mockResolvedValueOnce(theirs);
      await expect(complete()).rejects.toBe(error);
      await expect(complete()).rejects.toBe(error);
    },
  );

  it("fails as the store does, without asking again, for any other reason", async () => {
    const error = failure("unavailable");
    store.completeUpload.mockRejectedValue(error);
    await expect(complete()).rejects.toBe(error);
    expect(store.describeObject).toHaveBeenCalledTimes(1);
    const defect = new Error("a defect");
    store.completeUpload.mockRejectedValue(defect);
    await expect(complete()).rejects.toBe(defect);
  });
});

describe("discarding", () => {
  it("is done where there is nothing any more, and fails as the store does", async () => {
    await expect(abortMultipartUpload({ upload: handle }, grant, tools)).resolves.toEqual({ aborted: true });
    store.abortUpload.mockRejectedValue(failure("upload_not_found"));
    await expect(abortMultipartUpload({ upload: handle }, grant, tools)).resolves.toEqual({ aborted: true });
    for (const error of [failure("unavailable"), new Error("a defect")]) {
      store.abortUpload.mockRejectedValue(error);
      await expect(abortMultipartUpload({ upload: handle }, grant, tools)).rejects.toBe(error);
    }
  });
});

describe("any token", () => {
  const list = (scope: object) =>
    listUploadParts({ upload: handle }, { ...grant, scope: { ...grant.scope, ...scope } }, tools);

  it.each([{}, { path: "/a" }, { path: "/b", uploadFolder: "/" }, { limits: { maxFileBytes: 17 * MiB } }])(
    "that may upload the file may continue with it: %j",
    async (scope) => {
      await expect(list(scope)).resolves.toMatchObject({ parts: [{ number: 1 }, {}, {}] });
    },
  );

  it.each([
    [{ actions: ["download"] }, "scope_not_allowed"],
    [{ bucket: "other" }, "scope_not_allowed"],
    [{ path: "/b" }, "scope_not_allowed"],
    [{ path: "/a/x.bin" }, "scope_not_allowed"],
    [{ uploadFolder: "/a/b" }, "scope_not_allowed"],
    [{ limits: { maxFileBytes: 17 * MiB - 1 } }, "too_large"],
    [{ limits: { fileTypes: [".txt", "c/*"] } }, "type_not_allowed"],
  ])("that may not gets %j: %s", async (scope, code) => {
    await expect(list(scope)).rejects.toMatchObject({ code });
  });

  it("finds a file in the bucket's root by its name alone", async () => {
    const inRoot = signUploadHandle({ ...upload, key: "x.bin" }, tools);
    const scope = { bucket: "docs", limits: { fileTypes: ["x.bin", ".bin"] } };
    await expect(listUploadParts({ upload: inRoot }, { ...grant, scope }, tools)).resolves.toBeDefined();
    const narrow = { bucket: "docs", path: "/x.bin" };
    await expect(
      listUploadParts({ upload: inRoot }, { ...grant, scope: narrow }, tools),
    ).rejects.toMatchObject({
      code: "scope_not_allowed",
    });
  });
});

describe("the database that remembers unfinished uploads", () => {
  it.each([
    ["is silent", () => query.mockImplementation(() => new Promise(() => {}))],
    ["fails", () => query.mockRejectedValue(new Error("down"))],
  ])("stops no upload when it %s", async (_, breakIt) => {
    breakIt();
    const begun = await createMultipartUpload(file, grant, tools);
    expect(begun).toMatchObject({ key: "a/x.bin", partCount: 3 });
    expect(await findMultipartUpload(file, grant, tools)).toEqual({ upload: null });
    store.describeObject.mockResolvedValueOnce(null);
    expect(await completeMultipartUpload({ token: "t", upload: handle }, grant, tools)).toMatchObject({
      key: "a/x.bin",
    });
  });
});
