import { HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUCKET, sendRaw, signRaw, startStoreForTests } from "../../tests/support/files/object-store";

let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  store = await startStoreForTests();
  await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "source", Body: "source" }));
});
afterAll(() => store?.close());

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  return sendRaw(store.endpoint, await signRaw(store.endpoint, { method, path, headers, body }));
}

/** Headers that must not be ignored. */
const UNKNOWN: Record<string, string>[] = [
  { "x-amz-acl": "public-read" },
  { "x-amz-grant-read": "id=1" },
  { "x-amz-server-side-encryption": "aws:kms" },
  { "x-amz-server-side-encryption-customer-algorithm": "AES256" },
  { "x-amz-object-lock-mode": "GOVERNANCE" },
  { "x-amz-website-redirect-location": "/elsewhere" },
  { "x-amz-write-offset-bytes": "4" },
  { "x-amz-expected-bucket-owner": "111122223333" },
  { "x-amz-made-up": "1" },
];
const source = { "x-amz-copy-source": `/${BUCKET}/source` };

describe("a request for something that this store does not support", () => {
  it.each(UNKNOWN)("is refused: %j", async (headers) => {
    const refused = { status: 501, code: "NotImplemented" };
    expect(await send("PUT", `/${BUCKET}/featured`, headers)).toMatchObject(refused);
    expect(await send("PUT", `/${BUCKET}/featured`, { ...source, ...headers })).toMatchObject(refused);
    expect(await send("POST", `/${BUCKET}/featured?uploads`, headers)).toMatchObject(refused);
    const missing = store.client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: "featured" }));
    await expect(missing).rejects.toMatchObject({ name: "NotFound" });
  });

  it.each<[string, Record<string, string>]>([
    ["other tags for a copy", { ...source, "x-amz-tagging-directive": "REPLACE" }],
    ["a range of a source on a copy of the whole", { ...source, "x-amz-copy-source-range": "bytes=0-1" }],
    ["a copy's condition without a copy", { "x-amz-copy-source-if-match": "*" }],
  ])("is refused: %s", async (_what, headers) => {
    expect(await send("PUT", `/${BUCKET}/featured`, headers)).toMatchObject({
      status: 501,
      code: "NotImplemented",
    });
  });

  it.each(["GLACIER", "MADE_UP"])("is refused: storage class %s", async (storageClass) => {
    const headers = { "x-amz-storage-class": storageClass };
    const refused = { status: 400, code: "InvalidStorageClass" };
    expect(await send("PUT", `/${BUCKET}/classed`, headers)).toMatchObject(refused);
    expect(await send("PUT", `/${BUCKET}/classed`, { ...source, ...headers })).toMatchObject(refused);
  });

  it("accepts headers that ask for the default", async () => {
    const headers = { "x-amz-acl": "private", "x-amz-storage-class": "STANDARD" };
    expect((await send("PUT", `/${BUCKET}/plain`, headers)).status).toBe(200);
  });
});
