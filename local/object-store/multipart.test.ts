import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  AbortMultipartUploadCommand,
  type ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  BUCKET,
  CREDENTIALS,
  clientFor,
  sendRaw,
  signRaw,
  startStoreForTests,
} from "../../tests/support/files/object-store";
import { type StoreFault, startObjectStore } from "./index";

const MIB = 1024 ** 2;
let fault: StoreFault | undefined;
let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  store = await startStoreForTests({
    intercept: ({ query }) => (query.has("partNumber") ? fault : undefined),
  });
});
afterAll(() => store?.close());

async function create(Key: string, checksum: { ChecksumAlgorithm?: ChecksumAlgorithm } = {}) {
  const command = new CreateMultipartUploadCommand({ Bucket: BUCKET, Key, ...checksum });
  const { UploadId = "" } = await store.client.send(command);
  return { Bucket: BUCKET, Key, UploadId };
}

type Upload = Awaited<ReturnType<typeof create>>;

async function uploadPart(upload: Upload, PartNumber: number, Body: Buffer | string) {
  const { ETag } = await store.client.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
  return { PartNumber, ETag };
}

const dataFiles = async () =>
  (await readdir(join(store.dataDir, BUCKET, "objects"))).filter((name) => name.endsWith(".data"));

async function read(Key: string): Promise<Buffer> {
  const { Body } = await store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

describe("files", () => {
  it("of parts that were replaced, left out or aborted go; those that were taken stay", async () => {
    const before = (await dataFiles()).length;
    const upload = await create("taken");
    const [first, last] = [randomBytes(5 * MIB), randomBytes(100)];
    await uploadPart(upload, 1, "replaced");
    const parts = [await uploadPart(upload, 1, first)];
    await uploadPart(upload, 2, "left out");
    parts.push(await uploadPart(upload, 7, last));
    await store.client.send(
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }),
    );
    await vi.waitFor(async () => expect(await dataFiles()).toHaveLength(before + 2), { timeout: 15_000 });
    expect((await read("taken")).equals(Buffer.concat([first, last]))).toBe(true);

    const aborted = await create("aborted");
    await uploadPart(aborted, 1, "aborted");
    await store.client.send(new AbortMultipartUploadCommand(aborted));
    await vi.waitFor(async () => expect(await dataFiles()).toHaveLength(before + 2), { timeout: 15_000 });
    expect(await readdir(join(store.dataDir, BUCKET, "uploads"))).toEqual([]);

    // Replacing the object takes both of its files along, once nobody reads them any more.
    const download = await store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "taken" }));
    await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "taken", Body: "one" }));
    const bytes = Buffer.from((await download.Body?.transformToByteArray()) ?? []);
    expect(bytes.equals(Buffer.concat([first, last]))).toBe(true);
    await vi.waitFor(async () => expect(await dataFiles()).toHaveLength(before + 1), { timeout: 15_000 });
  });

  it("are not left by a part whose upload breaks off half way", async () => {
    const upload = await create("broken");
    const before = (await dataFiles()).length;
    fault = { resetAfterBytes: MIB };
    const path = `/${BUCKET}/broken?partNumber=1&uploadId=${upload.UploadId}`;
    const request = await signRaw(store.endpoint, { method: "PUT", path, body: "x".repeat(2 * MIB) });
    await expect(sendRaw(store.endpoint, request)).rejects.toThrow(/hang up|ECONNRESET|EPIPE/);
    fault = undefined;
    await vi.waitFor(async () => expect(await dataFiles()).toHaveLength(before), { timeout: 15_000 });
    const { Parts } = await store.client.send(new ListPartsCommand(upload));
    expect(Parts).toBeUndefined();
  });
});

describe("after a restart", () => {
  it("uploads in progress continue, and what was cut short is swept up", async () => {
    const upload = await create("resumed", { ChecksumAlgorithm: "CRC64NVME" });
    const first = randomBytes(5 * MIB);
    const parts = [await uploadPart(upload, 1, first)];
    const completed = await create("completed");
    const done = await uploadPart(completed, 1, "done");
    await store.client.send(
      new CompleteMultipartUploadCommand({ ...completed, MultipartUpload: { Parts: [done] } }),
    );
    // As a process leaves them that is killed: bytes of a part without its record, an upload without its own, and an upload
    // whose object is there already.
    const bucket = join(store.dataDir, BUCKET);
    const hash = createHash("sha256").update("resumed").digest("hex");
    await writeFile(join(bucket, "objects", `${hash}.0123456789abcdef.data`), "stray");
    await mkdir(join(bucket, "uploads", "begun"));
    await mkdir(join(bucket, "uploads", completed.UploadId));
    const record = { id: completed.UploadId, key: "completed", initiated: 0, headers: {} };
    await writeFile(join(bucket, "uploads", completed.UploadId, "upload.json"), JSON.stringify(record));

    const revived = await startObjectStore({
      port: 0,
      dataDir: store.dataDir,
      ...CREDENTIALS,
    });
    const client = clientFor(revived.endpoint);
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    expect(Uploads.map(({ Key }) => Key)).not.toContain("completed");
    expect(Uploads.map(({ UploadId }) => UploadId)).toContain(upload.UploadId);
    expect(await readdir(join(bucket, "uploads"))).not.toContain("begun");
    expect(await dataFiles()).not.toContain(`${hash}.0123456789abcdef.data`);

    const last = await client.send(new UploadPartCommand({ ...upload, PartNumber: 2, Body: "the end" }));
    parts.push({ PartNumber: 2, ETag: last.ETag });
    const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } });
    const answer = await client.send(command);
    const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "resumed" }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    expect(bytes.equals(Buffer.concat([first, Buffer.from("the end")]))).toBe(true);
    // Even after another restart, a repeated completion answers as the first.
    expect(await client.send(command)).toMatchObject({ ETag: answer.ETag, ChecksumType: "FULL_OBJECT" });
    client.destroy();
    await revived.close();
  });
});

describe("what a completion says", () => {
  async function complete(upload: Upload, document: string, headers: Record<string, string> = {}) {
    const path = `/${BUCKET}/${upload.Key}?uploadId=${upload.UploadId}`;
    const request = await signRaw(store.endpoint, { method: "POST", path, body: document, headers });
    return sendRaw(store.endpoint, request);
  }
  const list = (parts: { PartNumber: number; ETag?: string }[]) =>
    `<CompleteMultipartUpload>${parts.map(({ PartNumber, ETag }) => `<Part><PartNumber>${PartNumber}</PartNumber><ETag>${ETag}</ETag></Part>`).join("")}</CompleteMultipartUpload>`;

  it("may be malformed", async () => {
    const upload = await create("malformed");
    const part = await uploadPart(upload, 1, "part");
    for (const document of ["", "<", list([]), "<Delete/>", list([{ ...part, PartNumber: Number.NaN }])]) {
      expect(await complete(upload, document)).toMatchObject({ status: 400, code: "MalformedXML" });
    }
    expect((await complete(upload, list([part]))).status).toBe(200);
  });

  it("of the whole object must be right: its checksum, and the checksum's type", async () => {
    const upload = await create("announced", { ChecksumAlgorithm: "CRC64NVME" });
    const document = list([await uploadPart(upload, 1, "123456789")]);
    const checksum = "x-amz-checksum-crc64nvme";
    expect(await complete(upload, document, { "x-amz-checksum-type": "COMPOSITE" })).toMatchObject({
      code: "InvalidRequest",
    });
    expect(await complete(upload, document, { [checksum]: "AAAAAAAAAAA=" })).toMatchObject({
      code: "BadDigest",
    });
    // The check value of CRC-64/NVME.
    const value = Buffer.from("ae8b14860a799888", "hex").toString("base64");
    const right = {
      [checksum]: value,
      "x-amz-checksum-type": "FULL_OBJECT",
    };
    expect((await complete(upload, document, right)).body).toContain(value);
    const head = new HeadObjectCommand({ Bucket: BUCKET, Key: "announced", ChecksumMode: "ENABLED" });
    expect(await store.client.send(head)).toMatchObject({
      ChecksumCRC64NVME: value,
      ChecksumType: "FULL_OBJECT",
    });
  });
});
