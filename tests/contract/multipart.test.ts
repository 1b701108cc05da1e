/** Multipart uploads. */
import { randomBytes } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
  type UploadPartCommandInput,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Endpoint, getText, isLacking, openEndpoint, putText } from "./endpoint";

const PART = 5 * 1024 ** 2;
const first = randomBytes(PART);
const last = randomBytes(1000);
let endpoint: Endpoint;
let run = 0;

beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint?.close());

interface Upload {
  Bucket: string;
  Key: string;
  UploadId: string;
}

async function create(options: Partial<CreateMultipartUploadCommandInput> = {}): Promise<Upload> {
  const at = { Bucket: endpoint.bucket, Key: options.Key ?? `${endpoint.prefix}upload-${run++}` };
  const { UploadId = "" } = await endpoint.client.send(
    new CreateMultipartUploadCommand({ ContentType: "application/x-test", ...options, ...at }),
  );
  return { ...at, UploadId };
}

async function uploadPart(
  upload: Upload,
  PartNumber: number,
  Body: Buffer | string,
  options: Partial<UploadPartCommandInput> = {},
): Promise<CompletedPart> {
  const command = new UploadPartCommand({ ...upload, PartNumber, Body, ...options });
  const { ETag, ChecksumCRC32, ChecksumCRC64NVME } = await endpoint.client.send(command);
  return { PartNumber, ETag, ChecksumCRC32, ChecksumCRC64NVME };
}

function complete(
  upload: Upload,
  Parts: CompletedPart[],
  options: Partial<CompleteMultipartUploadCommandInput> = {},
) {
  return endpoint.client.send(
    new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts }, ...options }),
  );
}

async function read({ Bucket, Key }: Upload, Range?: string): Promise<Buffer> {
  const { Body } = await endpoint.client.send(new GetObjectCommand({ Bucket, Key, Range }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

describe("a multipart upload", () => {
  it("becomes the object once it is completed, whatever the order of the parts", async () => {
    const upload = await create();
    const parts = [await uploadPart(upload, 9, last), await uploadPart(upload, 2, first)].reverse();
    await expect(read(upload)).rejects.toMatchObject({ name: "NoSuchKey" });
    const { ETag } = await complete(upload, parts);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/);
    const { Bucket, Key } = upload;
    expect(await endpoint.client.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject({
      ETag,
      ContentLength: PART + 1000,
      ContentType: "application/x-test",
    });
    expect((await read(upload)).equals(Buffer.concat([first, last]))).toBe(true);
    const across = await read(upload, `bytes=${PART - 10}-${PART + 9}`);
    expect(across.equals(Buffer.concat([first.subarray(-10), last.subarray(0, 10)]))).toBe(true);
  });

  it("accepts parts by presigned URLs, as a browser sends them", async () => {
    const upload = await create();
    const command = new UploadPartCommand({ ...upload, PartNumber: 1, ContentLength: last.length });
    const url = await getSignedUrl(endpoint.client, command, {
      signableHeaders: new Set(["content-length"]),
    });
    expect((await fetch(url, { method: "PUT", body: new Uint8Array(last) })).status).toBe(200);
    // No page can read an ETag without the bucket's leave: whoever completes lists the parts.
    const { Parts = [] } = await endpoint.client.send(new ListPartsCommand(upload));
    await complete(
      upload,
      Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })),
    );
    expect((await read(upload)).equals(last)).toBe(true);
  });

  it("accepts copies of existing objects as parts, whole or a range", async () => {
    const source = await create();
    await complete(source, [await uploadPart(source, 1, first)]);
    const upload = await create();
    const CopySource = `${source.Bucket}/${encodeURIComponent(source.Key)}`;
    const copyPart = async (PartNumber: number, CopySourceRange?: string): Promise<CompletedPart> => {
      const command = new UploadPartCopyCommand({ ...upload, PartNumber, CopySource, CopySourceRange });
      const { CopyPartResult } = await endpoint.client.send(command);
      return { PartNumber, ETag: CopyPartResult?.ETag };
    };
    await complete(upload, [await copyPart(1), await copyPart(2, "bytes=10-19")]);
    expect((await read(upload)).equals(Buffer.concat([first, first.subarray(10, 20)]))).toBe(true);

    const refused = new UploadPartCopyCommand({
      ...(await create()),
      PartNumber: 1,
      CopySource,
      CopySourceIfMatch: '"00000000000000000000000000000000"',
    });
    await expect(endpoint.client.send(refused)).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } });
  });

  it("lists its parts in pages", async () => {
    const upload = await create();
    for (const number of [3, 1, 7]) await uploadPart(upload, number, `part ${number}`);
    const numbers: (number | undefined)[] = [];
    let marker: string | undefined;
    let pages = 0;
    for (let truncated = true; truncated; pages++) {
      const command = new ListPartsCommand({ ...upload, MaxParts: 2, PartNumberMarker: marker });
      const page = await endpoint.client.send(command);
      numbers.push(...(page.Parts ?? []).map((part) => part.PartNumber));
      truncated = page.IsTruncated ?? false;
      marker = page.NextPartNumberMarker;
    }
    expect({ numbers, pages }).toEqual({ numbers: [1, 3, 7], pages: 2 });
    await endpoint.client.send(new AbortMultipartUploadCommand(upload));
  });

  it("is listed until it is completed or aborted", async () => {
    const prefix = `${endpoint.prefix}listed/`;
    const keys = ["b", "a", "b"].map((name) => prefix + name);
    const uploads = await Promise.all(keys.map((Key) => create({ Key })));
    const list = async () => {
      const command = new ListMultipartUploadsCommand({ Bucket: endpoint.bucket, Prefix: prefix });
      return ((await endpoint.client.send(command)).Uploads ?? []).map(({ UploadId }) => UploadId);
    };
    expect((await list()).sort()).toEqual(uploads.map(({ UploadId }) => UploadId).sort());
    for (const upload of uploads) await endpoint.client.send(new AbortMultipartUploadCommand(upload));
    expect(await list()).toEqual([]);
  });

  it("is gone once it is aborted", async () => {
    const upload = await create();
    const part = await uploadPart(upload, 1, "part");
    await endpoint.client.send(new AbortMultipartUploadCommand(upload));
    const gone = { name: "NoSuchUpload" };
    await expect(uploadPart(upload, 2, "part")).rejects.toMatchObject(gone);
    await expect(complete(upload, [part])).rejects.toMatchObject(gone);
    await expect(endpoint.client.send(new ListPartsCommand(upload))).rejects.toMatchObject(gone);
  });
});

describe("a completion", () => {
  it("is refused if parts are too small, out of order, unknown or changed", async () => {
    const upload = await create();
    const [small, whole] = [await uploadPart(upload, 1, "small"), await uploadPart(upload, 2, first)];
    const cases: [CompletedPart[], string][] = [
      [[small, whole], "EntityTooSmall"],
      [[whole, small], "InvalidPartOrder"],
      [[whole, { ...whole, PartNumber: 3 }], "InvalidPart"],
      [[{ ...whole, ETag: small.ETag }], "InvalidPart"],
    ];
    for (const [parts, name] of cases) await expect(complete(upload, parts)).rejects.toMatchObject({ name });
    await complete(upload, [whole]);
    expect((await read(upload)).equals(first)).toBe(true);
  });

  it("responds the same when it is repeated", async () => {
    const upload = await create();
    const parts = [await uploadPart(upload, 1, "part")];
    const { ETag } = await complete(upload, parts);
    expect((await complete(upload, parts)).ETag).toBe(ETag);
  });

  it("never overwrites with If-None-Match: * (some stores do not support it there)", async () => {
    const key = `${endpoint.prefix}taken`;
    await putText(endpoint, key, "first");
    const upload = await create({ Key: key });
    const parts = [await uploadPart(upload, 1, "second")];
    const outcome = await complete(upload, parts, { IfNoneMatch: "*" }).catch((error: unknown) => error);
    if (endpoint.foreign && (isLacking(endpoint, outcome) || !(outcome instanceof Error))) {
      return console.info("This endpoint completes uploads without conditions.");
    }
    expect(outcome).toMatchObject({ $metadata: { httpStatusCode: 412 } });
    expect(await getText(endpoint, key)).toBe("first");
    // The parts are still there, to be given another chance.
    await complete(upload, parts);
    expect(await getText(endpoint, key)).toBe("second");
  });
});

describe("a checksum (a store without checksums responds with 400 or 501)", () => {
  it.each([
    ["CRC32", "COMPOSITE"],
    ["CRC32", "FULL_OBJECT"],
    ["CRC64NVME", "FULL_OBJECT"],
  ] as const)("%s, %s, of the object follows from those of its parts", async (algorithm, type) => {
    const asked = { ChecksumAlgorithm: algorithm, ChecksumType: type };
    const upload = await create(asked).catch((error: Error) => error);
    if (upload instanceof Error) {
      if (!endpoint.foreign) throw upload;
      return console.info(`This endpoint does not take ${algorithm} as ${type}: ${upload.name}.`);
    }
    const parts = [
      await uploadPart(upload, 1, first, { ChecksumAlgorithm: algorithm }),
      await uploadPart(upload, 2, last, { ChecksumAlgorithm: algorithm }),
    ];
    const member = `Checksum${algorithm}` as const;
    if (endpoint.foreign && parts[0]?.[member] === undefined) {
      return console.info(`This endpoint ignores ${algorithm}.`);
    }
    const done = await complete(upload, parts, type === "FULL_OBJECT" ? { ChecksumType: type } : {});
    const { Bucket, Key } = upload;
    const head = await endpoint.client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }));
    expect(head[member]).toBe(done[member]);
    expect(head[member]).toMatch(type === "COMPOSITE" ? /^[\w+/=]+-2$/ : /^[\w+/=]+$/);
    // The SDK checks a whole object's checksum while it reads.
    const { Body } = await endpoint.client.send(
      new GetObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }),
    );
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).length).toBe(PART + 1000);
  });

  it("that is wrong makes the store refuse the part", async () => {
    const upload = await create();
    const wrong = uploadPart(upload, 1, "part", { ChecksumCRC32: "AAAAAA==" });
    const error = await wrong.catch((refusal: unknown) => refusal);
    if (endpoint.foreign && !(error instanceof Error))
      return console.info("This endpoint ignores checksums.");
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 400 } });
    const { Parts = [] } = await endpoint.client.send(new ListPartsCommand(upload));
    expect(Parts).toEqual([]);
    await endpoint.client.send(new AbortMultipartUploadCommand(upload));
  });
});
