import { connect } from "node:net";
import { HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACCOUNT_ID } from "./features";
import { BUCKET, clientFor, sendRaw, signRaw, startStoreForTests } from "./store-for-tests";

let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  store = await startStoreForTests({ virtualHosts: ["localhost", "store.example"] });
  await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "source", Body: "source" }));
});
afterAll(() => store?.close());

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  return sendRaw(store.endpoint, await signRaw(store.endpoint, { method, path, headers, body }));
}

/** What is asked for, and must not be thought to be had. */
const UNKNOWN: Record<string, string>[] = [
  { "x-amz-acl": "public-read" },
  { "x-amz-grant-read": "id=1" },
  { "x-amz-server-side-encryption": "aws:kms" },
  { "x-amz-server-side-encryption-customer-algorithm": "AES256" },
  { "x-amz-object-lock-mode": "GOVERNANCE" },
  { "x-amz-website-redirect-location": "/elsewhere" },
  { "x-amz-write-offset-bytes": "4" },
  { "x-amz-made-up": "1" },
];
const source = { "x-amz-copy-source": `/${BUCKET}/source` };

describe("a request that asks for what this store does not do", () => {
  it.each(UNKNOWN)("is refused: %j", async (headers) => {
    const refused = { status: 501, code: "NotImplemented" };
    expect(await send("PUT", `/${BUCKET}/featured`, headers)).toMatchObject(refused);
    expect(await send("PUT", `/${BUCKET}/featured`, { ...source, ...headers })).toMatchObject(refused);
    expect(await send("POST", `/${BUCKET}/featured?uploads`, headers)).toMatchObject(refused);
    const missing = store.client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: "featured" }));
    await expect(missing).rejects.toMatchObject({ name: "NotFound" });
  });

  it.each<[string, Record<string, string>]>([
    ["a copy's tags without a copy", { "x-amz-tagging-directive": "REPLACE" }],
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

  it("is refused: another owner of the bucket, or of the source", async () => {
    for (const name of ["x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"]) {
      const refused = await send("PUT", `/${BUCKET}/owned`, { ...source, [name]: "111122223333" });
      expect(refused).toMatchObject({ status: 403, code: "AccessDenied" });
      expect((await send("PUT", `/${BUCKET}/owned`, { ...source, [name]: ACCOUNT_ID })).status).toBe(200);
    }
  });

  it("is answered where it is only told what is so anyway", async () => {
    const headers = { "x-amz-acl": "private", "x-amz-storage-class": "STANDARD" };
    expect((await send("PUT", `/${BUCKET}/plain`, headers)).status).toBe(200);
  });
});

describe("a header that is sent twice", () => {
  /** Node's client joins what is given twice, so this goes by the socket. */
  async function putTwice(name: string, values: string[]): Promise<string> {
    const request = await signRaw(store.endpoint, { method: "PUT", path: `/${BUCKET}/twice`, body: "body" });
    const { [name]: _once, ...others } = request.headers;
    const lines = [
      ...Object.entries(others).map(([key, value]) => `${key}: ${value}`),
      ...values.map((value) => `${name}: ${value}`),
    ];
    const { hostname, port } = new URL(store.endpoint);
    const socket = connect(Number(port), hostname);
    socket.write(`PUT ${request.path} HTTP/1.1\r\n${lines.join("\r\n")}\r\nConnection: close\r\n\r\nbody`);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    return answer;
  }

  it.each(["content-type", "content-disposition", "x-amz-acl", "x-amz-date", "authorization"])(
    "is refused: %s",
    async (name) => {
      const answer = await putTwice(name, ["text/plain", "text/html"]);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain("<Code>InvalidRequest</Code>");
    },
  );

  it("is a list where it may be one", async () => {
    expect(await putTwice("cache-control", ["no-cache", "private"])).toMatch(/^HTTP\/1\.1 200 /);
    const { CacheControl } = await store.client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: "twice" }));
    expect(CacheControl).toBe("no-cache, private");
  });
});

describe("an address that names the bucket by its host", () => {
  it("is the bucket's", async () => {
    const { port } = new URL(store.endpoint);
    const virtual = `http://${BUCKET}.localhost:${port}`;
    // The connection goes to 127.0.0.1, for not every machine knows names below localhost.
    const sendVirtual = async (method: string, path: string, body?: string) =>
      sendRaw(store.endpoint, await signRaw(virtual, { method, path, body }));
    expect((await sendVirtual("PUT", "/folder/key%20.txt", "body")).status).toBe(200);
    expect((await send("GET", `/${BUCKET}/folder/key%20.txt`)).body).toBe("body");
    expect((await sendVirtual("GET", "/folder/key%20.txt")).body).toBe("body");
    expect((await sendVirtual("GET", "/?list-type=2&prefix=folder")).body).toContain(
      "<Key>folder/key .txt</Key>",
    );
    const tampered = await signRaw(virtual, { path: "/folder/key%20.txt" });
    const elsewhere = { ...tampered.headers, host: `other.localhost:${port}` };
    expect(await sendRaw(store.endpoint, { ...tampered, headers: elsewhere })).toMatchObject({
      status: 403,
      code: "SignatureDoesNotMatch",
    });
  });

  it("is refused an older kind of signature with a word that says so", async () => {
    const path = `/${BUCKET}/source?AWSAccessKeyId=key&Expires=1&Signature=s`;
    expect(await sendRaw(store.endpoint, { method: "GET", path, headers: {} })).toMatchObject({
      status: 400,
      code: "InvalidRequest",
    });
  });

  it("is nothing special without the setting", async () => {
    const plain = await startStoreForTests();
    const client = clientFor(plain.endpoint);
    const { port } = new URL(plain.endpoint);
    const request = await signRaw(`http://${BUCKET}.localhost:${port}`, { path: "/folder" });
    expect(await sendRaw(plain.endpoint, request)).toMatchObject({ status: 404, code: "NoSuchBucket" });
    client.destroy();
    await plain.close();
  });
});
