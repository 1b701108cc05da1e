import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import { HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { BUCKET, sendRaw, signRaw, startStoreForTests } from "../../tests/support/files/object-store";

const seen: Record<string, unknown>[] = [];
const log: string[] = [];
let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  store = await startStoreForTests({
    log: (line) => log.push(line),
    intercept: ({ headers }) => {
      seen.push(headers);
      return undefined;
    },
  });
});
afterAll(() => store?.close());

const body = "the body";
const base64 = (algorithm: string, content = body) => createHash(algorithm).update(content).digest("base64");
function crc32Base64(content: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(content));
  return bytes.toString("base64");
}

async function put(key: string, headers: Record<string, string>, content = body) {
  const request = await signRaw(store.endpoint, {
    method: "PUT",
    path: `/${BUCKET}/${key}`,
    headers,
    body: content,
  });
  return sendRaw(store.endpoint, request);
}

async function expectNothingStored(key: string): Promise<void> {
  const head = store.client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: key }));
  await expect(head).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } });
}

describe("what a request says of its body", () => {
  it.each<[string, Record<string, string>]>([
    ["a payload hash", {}],
    ["an unsigned payload", { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }],
    ["Content-MD5", { "content-md5": base64("md5") }],
    ["CRC32", { "x-amz-checksum-crc32": crc32Base64(body) }],
  ])("may be right: %s", async (_what, headers) => {
    const answer = await put("right", headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).toBe(`"${createHash("md5").update(body).digest("hex")}"`);
  });

  it.each<[string, Record<string, string>, number, string]>([
    [
      "payload hash",
      { "x-amz-content-sha256": createHash("sha256").update("x").digest("hex") },
      400,
      "XAmzContentSHA256Mismatch",
    ],
    ["payload hash that is none", { "x-amz-content-sha256": "abc" }, 400, "InvalidArgument"],
    ["chunks", { "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER" }, 501, "NotImplemented"],
    ["Content-MD5", { "content-md5": base64("md5", "x") }, 400, "BadDigest"],
    ["Content-MD5 that is none", { "content-md5": "abc" }, 400, "InvalidDigest"],
    ["CRC32", { "x-amz-checksum-crc32": crc32Base64("x") }, 400, "BadDigest"],
    ["CRC64NVME", { "x-amz-checksum-crc64nvme": "AAAAAAAAAAA=" }, 400, "BadDigest"],
    ["unknown checksum", { "x-amz-checksum-xxhash64": "AAAAAAAAAAA=" }, 501, "NotImplemented"],
    [
      "two checksums",
      { "x-amz-checksum-crc32": crc32Base64(body), "x-amz-checksum-crc64nvme": "AAAAAAAAAAA=" },
      400,
      "InvalidRequest",
    ],
  ])("may be wrong, and nothing is stored: %s", async (_what, headers, status, code) => {
    expect(await put("wrong", headers)).toMatchObject({ status, code });
    await expectNothingStored("wrong");
  });

  it("is checked when a presigner has moved the checksum to the query", async () => {
    const command = new PutObjectCommand({
      Bucket: BUCKET,
      Key: "hoisted",
      ChecksumCRC32: crc32Base64(body),
    });
    const url = await getSignedUrl(store.client, command);
    expect(url).toMatch(/x-amz-checksum-crc32/);
    expect((await fetch(url, { method: "PUT", body: "another" })).status).toBe(400);
    await expectNothingStored("hoisted");
    expect((await fetch(url, { method: "PUT", body })).status).toBe(200);
  });

  it("needs a length", async () => {
    const url = await getSignedUrl(store.client, new PutObjectCommand({ Bucket: BUCKET, Key: "unmeasured" }));
    const stream = Readable.toWeb(Readable.from([Buffer.from(body)])) as ReadableStream;
    const answer = await fetch(url, { method: "PUT", body: stream, duplex: "half" } as RequestInit);
    expect(answer.status).toBe(411);
  });
});

it("a large upload that is refused still gets its answer", async () => {
  const url = await getSignedUrl(store.client, new PutObjectCommand({ Bucket: BUCKET, Key: "large" }));
  const answer = await fetch(`${url}0`, { method: "PUT", body: Buffer.alloc(32 * 1024 * 1024) });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("SignatureDoesNotMatch");
});

it("an upload that breaks off stores nothing and leaves no file", async () => {
  const hash = createHash("sha256").update("broken").digest("hex");
  const files = async () => {
    const all = await readdir(join(store.dataDir, BUCKET, "objects"));
    return all.filter((name) => name.startsWith(hash)).length;
  };
  const { method, path, headers } = await signRaw(store.endpoint, {
    method: "PUT",
    path: `/${BUCKET}/broken`,
    headers: { "content-length": "1000", "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
  });
  const { port } = new URL(store.endpoint);
  const socket = connect(Number(port), "127.0.0.1");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\npart of it`);
  await vi.waitFor(async () => expect(await files()).toBe(1), { timeout: 15_000 });
  socket.destroy();
  await vi.waitFor(async () => expect(await files()).toBe(0), { timeout: 15_000 });
  await expect.poll(() => log.some((line) => line.startsWith(`${method} ${path} broken off`))).toBe(true);
  await expectNothingStored("broken");
});
