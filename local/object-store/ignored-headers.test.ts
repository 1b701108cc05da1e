import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BUCKET, startStoreForTests } from "../../tests/support/files/object-store";
import { ceph16, type IgnoredFeatures } from "./index";

const WRONG_MD5 = Buffer.alloc(16).toString("base64");
const WRONG_CRC = "AAAAAA==";
let ignores: IgnoredFeatures;
let store: Awaited<ReturnType<typeof startStoreForTests>>;
let made = 0;

beforeAll(async () => {
  store = await startStoreForTests({ intercept: () => ({ ignores }) });
});
afterAll(() => store?.close());
beforeEach(() => {
  ignores = {};
});

/** an object of its own in the tested bucket */
const object = () => ({ Bucket: BUCKET, Key: `object-${made++}` });
const put = (more: object, at = object()) => store.client.send(new PutObjectCommand({ ...at, ...more }));
const textOf = async (at: ReturnType<typeof object>) =>
  (await store.client.send(new GetObjectCommand(at))).Body?.transformToString();

describe("a store that ignores checksums", () => {
  beforeEach(() => {
    ignores = { checksums: true };
  });

  it("stores an object with a wrong one, and keeps none", async () => {
    const at = object();
    await put({ Body: "damaged", ChecksumCRC32: WRONG_CRC }, at);
    const head = await store.client.send(new HeadObjectCommand({ ...at, ChecksumMode: "ENABLED" }));
    expect([await textOf(at), head.ChecksumCRC32]).toEqual(["damaged", undefined]);
  });

  it("names no algorithm for a multipart upload, and takes its parts with wrong ones", async () => {
    const at = object();
    const created = await store.client.send(
      new CreateMultipartUploadCommand({ ...at, ChecksumAlgorithm: "CRC32", ChecksumType: "FULL_OBJECT" }),
    );
    expect(created.ChecksumAlgorithm).toBeUndefined();
    const upload = { ...at, UploadId: created.UploadId };
    const part = { ...upload, PartNumber: 1, Body: "damaged" };
    await store.client.send(new UploadPartCommand({ ...part, ChecksumCRC32: WRONG_CRC }));
    const { Parts } = await store.client.send(new ListPartsCommand(upload));
    expect(Parts).toMatchObject([{ Size: 7 }]);
    await expect(
      store.client.send(new UploadPartCommand({ ...part, ContentMD5: WRONG_MD5 })),
    ).rejects.toMatchObject({ name: "BadDigest" });
  });
});

it("a store that ignores Content-MD5 stores what does not match it", async () => {
  const at = object();
  await expect(put({ Body: "damaged", ContentMD5: WRONG_MD5 }, at)).rejects.toMatchObject({
    name: "BadDigest",
  });
  ignores = { contentMd5: true };
  await put({ Body: "damaged", ContentMD5: WRONG_MD5 }, at);
  expect(await textOf(at)).toBe("damaged");
});

describe("a store that ignores conditions", () => {
  it("of a PUT overwrites", async () => {
    const at = object();
    await put({ Body: "one" }, at);
    await expect(put({ Body: "two", IfNoneMatch: "*" }, at)).rejects.toMatchObject({
      name: "PreconditionFailed",
    });
    ignores = { putConditions: true };
    await put({ Body: "two", IfNoneMatch: "*" }, at);
    expect(await textOf(at)).toBe("two");
  });

  it("as Ceph 16.2 does overwrites by copies and completions, and deletes what has changed", async () => {
    ignores = ceph16;
    const [from, to] = [object(), object()];
    await put({ Body: "one" }, from);
    await put({ Body: "two" }, to);
    await expect(put({ Body: "three", IfNoneMatch: "*" }, to)).rejects.toMatchObject({
      name: "PreconditionFailed",
    });
    const source = `${BUCKET}/${from.Key}`;
    await store.client.send(new CopyObjectCommand({ ...to, CopySource: source, IfNoneMatch: "*" }));
    expect(await textOf(to)).toBe("one");

    const { UploadId } = await store.client.send(new CreateMultipartUploadCommand(to));
    const part = { ...to, UploadId, PartNumber: 1 };
    const { ETag } = await store.client.send(new UploadPartCommand({ ...part, Body: "parts" }));
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    await store.client.send(
      new CompleteMultipartUploadCommand({ ...to, UploadId, MultipartUpload, IfNoneMatch: "*" }),
    );
    expect(await textOf(to)).toBe("parts");

    await store.client.send(new DeleteObjectCommand({ ...to, IfMatch: '"another"' }));
    await expect(textOf(to)).rejects.toMatchObject({ name: "NoSuchKey" });
  });
});
