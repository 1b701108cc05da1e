import { beforeEach, expect, it, vi } from "vitest";
import { AppError } from "../shared/app-error";
import { createIntegrityChecks } from "./integrity-checks.server";

const MINUTE_MS = 60_000;
const START_MS = 1_000;
const upload = { bucket: "docs", key: "a", uploadId: "id", algorithm: "CRC64NVME" } as const;
const refused = (name: string) =>
  new AppError("checksum_mismatch", "refused", { cause: Object.assign(new Error(), { name }) });
const createUpload = vi.fn();
const abortUpload = vi.fn();
const send = vi.fn();
let now: number;

beforeEach(() => {
  vi.resetAllMocks();
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  now = START_MS;
  createUpload.mockResolvedValue(upload);
  abortUpload.mockResolvedValue(undefined);
  send.mockRejectedValue(refused("BadDigest"));
});

const checksOf = (isAmazon = false) => {
  const { integrityChecks } = createIntegrityChecks(send, { createUpload, abortUpload }, isAmazon, {
    now: () => now,
  });
  return (bucket = "docs") => integrityChecks({ bucket, key: "a" });
};

it("tries parts with wrong digests once an hour for each bucket, and discards the upload", async () => {
  const ask = checksOf();
  const all = await Promise.all([ask(), ask(), ask()]);
  expect(all).toEqual(Array(3).fill({ checksums: true, contentMd5: true, takesConditions: true }));
  expect(send.mock.calls.map(([{ input }]) => [input.ChecksumCRC64NVME, input.ContentMD5])).toEqual([
    ["AAAAAAAAAAA=", undefined],
    [undefined, "AAAAAAAAAAAAAAAAAAAAAA=="],
    [undefined, "AAAAAAAAAAAAAAAAAAAAAA=="],
  ]);
  expect(send.mock.calls[2]?.[0].input).toMatchObject({ Key: "a", IfNoneMatch: "*" });
  expect(abortUpload.mock.calls).toEqual([[upload, { deadline: expect.any(Number) }]]);
  await ask("other");
  expect(createUpload).toHaveBeenCalledTimes(2);

  now += 61 * MINUTE_MS;
  send.mockResolvedValue({});
  expect(await ask(), "nobody waits for a later trial").toEqual({
    checksums: true,
    contentMd5: true,
    takesConditions: true,
  });
  await vi.waitFor(async () => expect(await ask()).toEqual({ checksums: false, contentMd5: false }));
  expect(createUpload).toHaveBeenCalledTimes(3);
});

it("knows nothing while the store does not answer, and tries again after a minute", async () => {
  const ask = checksOf();
  createUpload.mockRejectedValue(new AppError("unavailable", "no answer"));
  const unknown = { checksums: undefined, contentMd5: undefined };
  expect(await ask()).toEqual(unknown);
  now = START_MS + MINUTE_MS - 1;
  expect(await ask()).toEqual(unknown);
  expect(createUpload).toHaveBeenCalledTimes(1);
  now = START_MS + MINUTE_MS + 1;
  createUpload.mockResolvedValue(upload);
  await vi.waitFor(async () =>
    expect(await ask()).toEqual({ checksums: true, contentMd5: true, takesConditions: true }),
  );
});

it("takes any other error for no answer, and discards the upload", async () => {
  send.mockRejectedValue(refused("SlowDown"));
  expect(await checksOf()()).toEqual({ checksums: undefined, contentMd5: undefined });
  expect(abortUpload).toHaveBeenCalledTimes(1);
});

it("takes a refused header for an ignored one, and a failed discarding for nothing", async () => {
  createUpload.mockResolvedValue({ ...upload, algorithm: null });
  send.mockRejectedValueOnce(refused("NotImplemented"));
  abortUpload.mockRejectedValue(new Error("failed"));
  expect(await checksOf()()).toEqual({ checksums: false, contentMd5: true, takesConditions: true });
  expect(send.mock.calls[0]?.[0].input).toMatchObject({ ChecksumCRC32: "AAAAAA==" });
});

it.each([
  ["BadDigest", true],
  ["PreconditionFailed", true],
  ["NotImplemented", false],
])("sees by %s whether the store takes a condition: %s", async (name, takesConditions) => {
  const error = refused(name);
  const status = name === "PreconditionFailed" ? 412 : 501;
  Object.assign(error.cause as Error, { $metadata: { httpStatusCode: status } });
  send.mockRejectedValueOnce(refused("BadDigest")).mockRejectedValueOnce(refused("BadDigest"));
  send.mockRejectedValueOnce(error);
  expect(await checksOf()()).toMatchObject({ takesConditions });
});

it("does not ask Amazon S3", async () => {
  expect(await checksOf(true)()).toEqual({ checksums: true, contentMd5: true, takesConditions: true });
  expect(createUpload).not.toHaveBeenCalled();
});
