import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUCKET as Bucket, startStoreForTests } from "../../tests/support/files/object-store";

let store: Awaited<ReturnType<typeof startStoreForTests>>;
beforeAll(async () => {
  store = await startStoreForTests();
});
afterAll(() => store?.close());

async function tagsOf(Key: string) {
  const { TagSet = [] } = await store.client.send(new GetObjectTaggingCommand({ Bucket, Key }));
  return Object.fromEntries(TagSet.map(({ Key: name, Value }) => [name, Value]));
}
const put = (Key: string, more: Partial<PutObjectCommand["input"]> = {}) =>
  store.client.send(new PutObjectCommand({ Bucket, Key, Body: Key, ...more }));
const head = (Key: string) => store.client.send(new HeadObjectCommand({ Bucket, Key }));
const copy = (Key: string, more: Partial<CopyObjectCommand["input"]> = {}) =>
  store.client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/tagged`, ...more }));

describe("tags", () => {
  it("are stored with an object, counted, and copied with it", async () => {
    await put("tagged", { Tagging: "kind=a%20b%26c&empty=" });
    expect(await tagsOf("tagged")).toEqual({ kind: "a b&c", empty: "" });
    expect((await head("tagged")).TagCount).toBe(2);
    await copy("copied");
    expect(await tagsOf("copied")).toEqual({ kind: "a b&c", empty: "" });
  });

  it.each([
    ["eleven", Array.from({ length: 11 }, (_, index) => `t${index}=1`).join("&")],
    ["one twice", "a=1&a=2"],
    ["a name that is too long", `${"n".repeat(129)}=1`],
    ["a value that is too long", `a=${"v".repeat(257)}`],
  ])("are refused: %s", async (_, Tagging) => {
    await expect(put("refused", { Tagging })).rejects.toMatchObject({ name: "InvalidTag" });
    await expect(head("refused")).rejects.toMatchObject({ name: "NotFound" });
  });
});

it("a storage class is told and listed, and a copy's is its own", async () => {
  await put("tagged", { StorageClass: "STANDARD_IA" });
  expect((await head("tagged")).StorageClass).toBe("STANDARD_IA");
  await copy("class/plain");
  await copy("class/same", { StorageClass: "STANDARD_IA" });
  const { Contents } = await store.client.send(new ListObjectsV2Command({ Bucket, Prefix: "class/" }));
  expect(Contents?.map(({ StorageClass }) => StorageClass)).toEqual(["STANDARD", "STANDARD_IA"]);
  expect((await head("class/plain")).StorageClass).toBeUndefined();
});

it("a multipart upload has the tags and the storage class that it began with", async () => {
  const at = { Bucket, Key: "parted" };
  const more = { Tagging: "kind=parts", StorageClass: "GLACIER_IR" } as const;
  const { UploadId } = await store.client.send(new CreateMultipartUploadCommand({ ...at, ...more }));
  const part = { ...at, UploadId, PartNumber: 1 };
  const { ETag } = await store.client.send(new UploadPartCommand({ ...part, Body: "part" }));
  const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
  await store.client.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }));
  expect(await tagsOf("parted")).toEqual({ kind: "parts" });
  expect((await head("parted")).StorageClass).toBe("GLACIER_IR");
});
