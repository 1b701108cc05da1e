import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
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
    await put("tagged", { Tagging: "kind=a%20b%2Fc&empty=" });
    expect(await tagsOf("tagged")).toEqual({ kind: "a b/c", empty: "" });
    expect((await head("tagged")).TagCount).toBe(2);
    await copy("copied");
    expect(await tagsOf("copied")).toEqual({ kind: "a b/c", empty: "" });
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

describe("tags of a stored object", () => {
  const tagging = (tags: Record<string, string>) => ({
    TagSet: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  });
  const setTags = (Key: string, tags: Record<string, string>, VersionId?: string) =>
    store.client.send(new PutObjectTaggingCommand({ Bucket, Key, VersionId, Tagging: tagging(tags) }));

  it("are replaced and deleted, and the object stays as it is", async () => {
    await put("tagged later", { Tagging: "kind=a" });
    const before = await head("tagged later");
    await setTags("tagged later", { scan: "clean", note: "" });
    expect(await tagsOf("tagged later")).toEqual({ scan: "clean", note: "" });
    await setTags("tagged later", {});
    expect(await tagsOf("tagged later")).toEqual({});
    const after = await head("tagged later");
    expect([after.ETag, after.LastModified]).toEqual([before.ETag, before.LastModified]);
  });

  it.each([
    ["too many", Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`t${index}`, "1"]))],
    ["a character that is not allowed", { "a*": "1" }],
    ["a name that only Amazon uses", { "aws:scan": "1" }],
  ])("are refused: %s", async (_, tags) => {
    await put("refused later");
    await expect(setTags("refused later", tags)).rejects.toMatchObject({ name: "InvalidTag" });
    expect(await tagsOf("refused later")).toEqual({});
  });

  it("belong to one version each, which the response names", async () => {
    await store.client.send(
      new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } }),
    );
    const [first, second] = [await put("versioned"), await put("versioned")];
    await setTags("versioned", { scan: "first" }, first.VersionId);
    const read = (VersionId?: string) =>
      store.client.send(new GetObjectTaggingCommand({ Bucket, Key: "versioned", VersionId }));
    expect(await read()).toMatchObject({ VersionId: second.VersionId, TagSet: [] });
    expect(await read(first.VersionId)).toMatchObject({
      VersionId: first.VersionId,
      TagSet: [{ Key: "scan", Value: "first" }],
    });
    const { VersionId } = await store.client.send(new DeleteObjectCommand({ Bucket, Key: "versioned" }));
    await expect(read()).rejects.toMatchObject({ name: "NoSuchKey" });
    await expect(read(VersionId)).rejects.toMatchObject({ name: "MethodNotAllowed" });
    await expect(setTags("versioned", { a: "b" }, "none")).rejects.toMatchObject({ name: "NoSuchVersion" });
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
