import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  BUCKET,
  CREDENTIALS,
  clientFor,
  sendRaw,
  signRaw,
  startStoreForTests,
} from "../../tests/support/files/object-store";
import { ensureBucket, startObjectStore } from "./index";

let dataDir: string;
const cleanUp: (() => unknown)[] = [];

beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), "object-store-")), "data");
});
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
  await rm(dirname(dataDir), { recursive: true, force: true });
});

const hashed = (key: string) => createHash("sha256").update(key).digest("hex");

it("no key leads out of the data folder, and each is a key of its own", async () => {
  const store = await startStoreForTests({ dataDir });
  cleanUp.push(store.close);
  const keys = [
    "..",
    ".",
    "../..",
    "../../bucket.json",
    "a/../b",
    "b",
    "./b",
    "%2e%2e",
    "..%2f..",
    "a//b",
    "a/b",
    "/a/b",
    "\\..",
    "CON",
    "\0",
    "é",
  ];
  for (const key of keys) {
    const path = `/${BUCKET}/${key.split("/").map(encodeURIComponent).join("/")}`;
    const put = await signRaw(store.endpoint, { method: "PUT", path, body: `this is ${key}` });
    expect((await sendRaw(store.endpoint, put)).status, key).toBe(200);
  }
  for (const key of keys) {
    const path = `/${BUCKET}/${key.split("/").map(encodeURIComponent).join("/")}`;
    expect((await sendRaw(store.endpoint, await signRaw(store.endpoint, { path }))).body).toBe(
      `this is ${key}`,
    );
  }
  expect(await readdir(dirname(dataDir))).toEqual(["data"]);
  expect(await readdir(dataDir)).toEqual([BUCKET]);
  expect((await readdir(join(dataDir, BUCKET))).sort()).toEqual(["bucket.json", "objects", "uploads"]);
  const files = await readdir(join(dataDir, BUCKET, "objects"));
  expect(files).toHaveLength(keys.length * 2);
  for (const file of files) expect(file).toMatch(/^[0-9a-f]{64}\.(json|[0-9a-f]{16}\.data)$/);
});

it.each(["..", "a..b", ".hidden", "UPPER", "ab", "%2e%2e%2f", "objects\\x"])(
  "%j is not a bucket",
  async (name) => {
    const store = await startStoreForTests({ dataDir });
    cleanUp.push(store.close);
    const request = await signRaw(store.endpoint, { method: "PUT", path: `/${encodeURIComponent(name)}` });
    expect(await sendRaw(store.endpoint, request)).toMatchObject({ status: 400, code: "InvalidBucketName" });
    expect(() => ensureBucket(dataDir, name)).toThrow("is not a bucket name");
  },
);

it("a bucket made by ensureBucket is seen by a store that runs already", async () => {
  const store = await startStoreForTests({ dataDir });
  cleanUp.push(store.close);
  ensureBucket(dataDir, "made-later");
  ensureBucket(dataDir, "made-later");
  await store.client.send(new PutObjectCommand({ Bucket: "made-later", Key: "a", Body: "a" }));
});

it("a download under way is not disturbed when the object is replaced or removed", async () => {
  const store = await startStoreForTests({ dataDir });
  cleanUp.push(store.close);
  const old = Buffer.alloc(8 * 1024 * 1024, "old");
  await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "big", Body: old }));
  const download = await store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "big" }));
  await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "big", Body: "new" }));
  await store.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: "big" }));
  expect(Buffer.from((await download.Body?.transformToByteArray()) ?? []).equals(old)).toBe(true);
  const missing = store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "big" }));
  await expect(missing).rejects.toMatchObject({ name: "NoSuchKey" });
});

describe("a store that is killed", () => {
  /** A store in a process of its own. */
  async function spawnStore() {
    const folder = dirname(fileURLToPath(import.meta.url));
    const options = { port: 0, dataDir, ...CREDENTIALS };
    const code = `import { startObjectStore } from "./index.ts";
      console.log((await startObjectStore(${JSON.stringify(options)})).endpoint);`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const kill = () => {
      child.kill("SIGKILL");
      return exited;
    };
    cleanUp.push(kill);
    for await (const line of createInterface(child.stdout)) return { endpoint: line, kill };
    throw new Error("the store did not start");
  }

  it("has lost nothing that it acknowledged, and starts again without a stray file", async () => {
    const { endpoint, kill } = await spawnStore();
    const client = clientFor(endpoint);
    cleanUp.push(() => client.destroy());
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));

    const acknowledged = new Map<string, string>();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; ; round++) {
        // Half of the keys are new, half are replaced again and again.
        const key = `writer ${writer}/${round % 2 === 0 ? round : "same"}`;
        const body = `${key} in round ${round} `.repeat(500);
        acknowledged.delete(key);
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body }));
        acknowledged.set(key, body);
        if (acknowledged.size === 100) await kill();
      }
    });
    await Promise.allSettled(writers);
    expect(acknowledged.size).toBeGreaterThanOrEqual(90);

    const revived = await startObjectStore({ port: 0, dataDir, ...CREDENTIALS });
    const reader = clientFor(revived.endpoint);
    cleanUp.push(() => reader.destroy(), revived.close);
    for (const [key, body] of acknowledged) {
      const { Body } = await reader.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
      expect(await Body?.transformToString()).toBe(body);
    }
    const { Contents = [] } = await reader.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    for (const { Key = "" } of Contents) {
      expect(existsSync(join(dataDir, BUCKET, "objects", `${hashed(Key)}.json`))).toBe(true);
    }
    expect(await readdir(join(dataDir, BUCKET, "objects"))).toHaveLength(Contents.length * 2);
  });

  it("has lost no part that it acknowledged, and keeps nothing of those it did not", async () => {
    const { endpoint, kill } = await spawnStore();
    const client = clientFor(endpoint);
    cleanUp.push(() => client.destroy());
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const at = { Bucket: BUCKET, Key: "parts" };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at));

    const acknowledged = new Map<number, string | undefined>();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; ; round++) {
        // Half of the parts are new, half are replaced again and again.
        const PartNumber = round % 2 === 0 ? 100 + round * 8 + writer : 1 + writer;
        const Body = `part ${PartNumber} in round ${round} `.repeat(500);
        acknowledged.delete(PartNumber);
        const part = await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber, Body }));
        acknowledged.set(PartNumber, part.ETag);
        if (acknowledged.size === 100) await kill();
      }
    });
    await Promise.allSettled(writers);
    expect(acknowledged.size).toBeGreaterThanOrEqual(90);

    const revived = await startObjectStore({ port: 0, dataDir, ...CREDENTIALS });
    const reader = clientFor(revived.endpoint);
    cleanUp.push(() => reader.destroy(), revived.close);
    const { Parts = [] } = await reader.send(new ListPartsCommand({ ...at, UploadId }));
    const kept = new Map(Parts.map(({ PartNumber = 0, ETag }) => [PartNumber, ETag]));
    for (const [number, etag] of acknowledged) expect(kept.get(number)).toBe(etag);
    expect(await readdir(join(dataDir, BUCKET, "objects"))).toHaveLength(Parts.length);
  });
});
