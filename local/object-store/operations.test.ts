import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUCKET, sendRaw, signRaw, startStoreForTests } from "../../tests/support/files/object-store";

let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  store = await startStoreForTests();
});
afterAll(() => store?.close());

async function put(key: string, body: string, more: Partial<PutObjectCommand["input"]> = {}) {
  return store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body, ...more }));
}

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  return sendRaw(
    store.endpoint,
    await signRaw(store.endpoint, { method, path: `/${BUCKET}/${path}`, headers }),
  );
}

describe("buckets", () => {
  it("are made, found, listed and removed once empty", async () => {
    const { client } = store;
    await client.send(new CreateBucketCommand({ Bucket: "second" }));
    const again = client.send(new CreateBucketCommand({ Bucket: "second" }));
    await expect(again).rejects.toMatchObject({ name: "BucketAlreadyOwnedByYou" });
    expect(await client.send(new HeadBucketCommand({ Bucket: "second" }))).toMatchObject({
      BucketRegion: "ca-central-1",
    });
    const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
    expect(Buckets.map((bucket) => bucket.Name)).toEqual(["second", BUCKET]);

    await client.send(new PutObjectCommand({ Bucket: "second", Key: "a", Body: "a" }));
    const full = client.send(new DeleteBucketCommand({ Bucket: "second" }));
    await expect(full).rejects.toMatchObject({ name: "BucketNotEmpty" });
    await client.send(new DeleteObjectsCommand({ Bucket: "second", Delete: { Objects: [{ Key: "a" }] } }));
    await client.send(new DeleteBucketCommand({ Bucket: "second" }));
    const gone = client.send(new ListObjectsV2Command({ Bucket: "second" }));
    await expect(gone).rejects.toMatchObject({ name: "NoSuchBucket" });
  });

  it("are refused in another region", async () => {
    const input = {
      Bucket: "abroad",
      CreateBucketConfiguration: { LocationConstraint: "eu-west-1" as const },
    };
    const answer = store.client.send(new CreateBucketCommand(input));
    await expect(answer).rejects.toMatchObject({ name: "IllegalLocationConstraintException" });
  });
});

describe("objects", () => {
  const described = {
    ContentType: "text/html; charset=utf-8",
    ContentDisposition: 'attachment; filename="a.html"',
    CacheControl: "max-age=60",
    Metadata: { colour: "blue" },
  };

  it("keep their headers and metadata, through a copy as well", async () => {
    await put("described", "<p>", described);
    await store.client.send(
      new CopyObjectCommand({ Bucket: BUCKET, Key: "copied é", CopySource: `${BUCKET}/described` }),
    );
    for (const key of ["described", "copied é"]) {
      const head = await store.client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: key }));
      expect(head).toMatchObject({ ...described, ContentLength: 3 });
    }
    const { Body } = await store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "copied é" }));
    expect(await Body?.transformToString()).toBe("<p>");
  });

  it("answer with the headers that a signed request asks for instead", async () => {
    await put("overridden", "x", described);
    const query = "response-content-type=text%2Fplain&response-cache-control=no-store&response-expires=0";
    const { headers } = await get(`overridden?${query}`);
    expect(headers).toMatchObject({
      "content-type": "text/plain",
      "cache-control": "no-store",
      expires: "0",
    });
    const bad = await get("overridden?response-content-disposition=%E2%82%AC");
    expect(bad).toMatchObject({ status: 400, code: "InvalidArgument" });
    expect(await get("overridden?response-content-type=a%0D%0Ab%3A%20c")).toMatchObject({ status: 400 });
  });

  it.each([
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=3-", 206, "3456789", "bytes 3-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=5-99", 206, "56789", "bytes 5-9/10"],
    ["bytes=10-", 416, undefined, "bytes */10"],
    ["bytes=-0", 416, undefined, "bytes */10"],
    ["bytes=5-3", 200, "0123456789", undefined],
    ["bytes=0-1,3-4", 200, "0123456789", undefined],
    ["lines=0-1", 200, "0123456789", undefined],
  ])("in part: %s is answered with %i", async (range, status, body, contentRange) => {
    await put("ranged", "0123456789");
    const answer = await get("ranged", { range });
    expect(answer.status).toBe(status);
    if (body !== undefined) expect(answer.body).toBe(body);
    expect(answer.headers["content-range"]).toBe(contentRange);
    const head = await get("ranged", { range }, "HEAD");
    expect([head.status, head.body, head.headers["content-range"]]).toEqual([status, "", contentRange]);
  });

  const past = "Mon, 01 Jan 2024 00:00:00 GMT";
  const future = "Fri, 01 Jan 2100 00:00:00 GMT";
  it.each<[Record<string, string>, number]>([
    [{ "if-none-match": '"9dd4e461268c8034f5c8564e155c67a6"' }, 304],
    [{ "if-none-match": '"other"' }, 200],
    [{ "if-match": '"9dd4e461268c8034f5c8564e155c67a6"' }, 200],
    [{ "if-match": '"other"' }, 412],
    [{ "if-modified-since": future }, 304],
    [{ "if-modified-since": past }, 200],
    [{ "if-unmodified-since": past }, 412],
    [{ "if-unmodified-since": future }, 200],
    [{ range: "bytes=0-0", "if-range": '"other"' }, 200],
    [{ range: "bytes=0-0", "if-range": '"9dd4e461268c8034f5c8564e155c67a6"' }, 206],
  ])("on condition: %j is answered with %i", async (headers, status) => {
    await put("conditional", "x");
    expect((await get("conditional", headers)).status).toBe(status);
  });

  it("are written on condition", async () => {
    await expect(put("new", "1", { IfMatch: '"any"' })).rejects.toMatchObject({ name: "NoSuchKey" });
    const { ETag } = await put("new", "1", { IfNoneMatch: "*" });
    await expect(put("new", "2", { IfNoneMatch: "*" })).rejects.toMatchObject({ name: "PreconditionFailed" });
    await expect(put("new", "2", { IfMatch: '"other"' })).rejects.toMatchObject({
      name: "PreconditionFailed",
    });
    await put("new", "2", { IfMatch: ETag });
    expect((await get("new")).body).toBe("2");
  });

  it("are removed, many at once, and removing what is not there is no error", async () => {
    const keys = ["x & y", "<z>", "é\n", "gone already"];
    for (const key of keys.slice(0, 3)) await put(key, key);
    const Objects = keys.map((Key) => ({ Key }));
    const answer = await store.client.send(new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects } }));
    expect(answer.Deleted).toEqual(Objects);
    expect((await get("x%20%26%20y")).status).toBe(404);
  });
});

it.each([
  ["GET", "key?acl"],
  ["PUT", "key?legal-hold"],
  ["POST", "key?select"],
  ["GET", "key?partNumber=1"],
  ["POST", "key"],
  ["GET", "?policy"],
  ["PATCH", "key"],
])("%s of /%s is not implemented", async (method, path) => {
  expect(await get(path, {}, method)).toMatchObject({ status: 501, code: "NotImplemented" });
});
