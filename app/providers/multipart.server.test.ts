import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Intercept } from "../../local/object-store";
import { BUCKET, CREDENTIALS, signedWith, startStoreForTests } from "../../tests/support/files/object-store";
import { createObjectStore, type ObjectStore } from "./object-store.server";

let local: Awaited<ReturnType<typeof startStoreForTests>>;
let store: ObjectStore;
let intercept: Intercept;
/** the checksums that the store was asked for */
let asked: (string | undefined)[];

beforeAll(async () => {
  local = await startStoreForTests({
    intercept(request) {
      if (!request.query.has("uploads")) return undefined;
      const algorithm = request.headers["x-amz-checksum-algorithm"];
      asked.push(algorithm === undefined ? undefined : String(algorithm));
      return intercept(request);
    },
  });
});
afterAll(() => local?.close());
beforeEach(() => {
  asked = [];
  store = createObjectStore({
    ...signedWith(CREDENTIALS),
    endpoint: local.endpoint,
    forcePathStyle: true,
    timeoutSeconds: 10,
  });
});

const create = async () => {
  const { algorithm } = await store.createUpload({
    bucket: BUCKET,
    key: "a",
    contentType: "a/b",
    uploadMark: "m",
  });
  return algorithm;
};
/** A store that takes no checksum but these. */
const taking =
  (status: number, code: string, ...taken: string[]): Intercept =>
  ({ headers }) => {
    const algorithm = headers["x-amz-checksum-algorithm"];
    return algorithm === undefined || taken.includes(String(algorithm))
      ? undefined
      : { error: { status, code } };
  };

describe("the checksum of a multipart upload", () => {
  it.each([
    [501, "NotImplemented"],
    [400, "InvalidArgument"],
    [400, "InvalidRequest"],
  ])("is none where the store takes none (%j %s), and then it is not asked again", async (status, code) => {
    intercept = taking(status, code);
    expect([await create(), await create()]).toEqual([null, null]);
    expect(asked).toEqual(["CRC64NVME", "CRC32", undefined, undefined]);
  });

  it("is the best that the store takes", async () => {
    intercept = taking(400, "InvalidArgument", "CRC32");
    expect([await create(), await create()]).toEqual(["CRC32", "CRC32"]);
    expect(asked).toEqual(["CRC64NVME", "CRC32", "CRC32"]);
    intercept = () => undefined;
    expect(await create()).toBe("CRC32");
  });

  it("is found anew where the store does not take any more what it took", async () => {
    intercept = () => undefined;
    expect(await create()).toBe("CRC64NVME");
    intercept = taking(400, "InvalidArgument");
    expect([await create(), await create()]).toEqual([null, null]);
    expect(asked).toEqual(["CRC64NVME", "CRC64NVME", "CRC32", undefined, undefined]);
  });

  it("is not taken for unknown because of a temporary failure", async () => {
    let failures = 1;
    intercept = () => (failures-- > 0 ? { error: { status: 400, code: "BadRequest" } } : undefined);
    expect([await create(), await create()]).toEqual(["CRC32", "CRC64NVME"]);
    expect(asked).toEqual(["CRC64NVME", "CRC32", "CRC64NVME"]);
  });

  it("is not asked for where the store refuses for another reason", async () => {
    intercept = () => ({ error: { status: 403, code: "AccessDenied" } });
    await expect(create()).rejects.toMatchObject({ code: "provider_failed" });
    expect(asked).toEqual(["CRC64NVME"]);
  });

  it("is not a reason for a refusal that comes without one, too", async () => {
    intercept = () => ({ error: { status: 400, code: "InvalidRequest" } });
    await expect(create()).rejects.toMatchObject({ code: "provider_failed" });
    intercept = () => undefined;
    expect(await create()).toBe("CRC64NVME");
  });
});

describe("a store that responds in its own way", () => {
  let server: Server;
  let status: number;
  let document: string;
  const upload = { bucket: BUCKET, key: "a", uploadId: "id", algorithm: null };

  beforeEach(async () => {
    status = 200;
    server = createServer((_request, response) => {
      response.writeHead(status, { "Content-Type": "application/xml" }).end(document);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    store = createObjectStore({
      ...signedWith(CREDENTIALS),
      endpoint,
      forcePathStyle: true,
      timeoutSeconds: 10,
    });
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it("and creates an upload without an id, has created none: its requests would be about the object", async () => {
    document = "<InitiateMultipartUploadResult><UploadId></UploadId></InitiateMultipartUploadResult>";
    await expect(create()).rejects.toMatchObject({ code: "provider_failed" });
  });

  it.each([
    ["<ETag>&quot;e-1&quot;</ETag>", '"e-1"'],
    ["<ETag>e-1</ETag>", '"e-1"'],
    ["<ETag></ETag>", undefined],
    ["", undefined],
  ])("and completes with %s, has made %j", async (etag, expected) => {
    document = `<CompleteMultipartUploadResult><Key>a</Key>${etag}</CompleteMultipartUploadResult>`;
    const options = { checksum: undefined, overwrite: false };
    expect(await store.completeUpload(upload, [], options)).toEqual({ etag: expected });
  });

  it.each([
    ["<ChecksumCRC64NVME>c</ChecksumCRC64NVME><ChecksumType>FULL_OBJECT</ChecksumType>", "CRC64NVME:c"],
    ["<ChecksumCRC32>c</ChecksumCRC32>", "CRC32:c"],
    ["<ChecksumCRC32>c-2</ChecksumCRC32><ChecksumType>COMPOSITE</ChecksumType>", undefined],
  ])("and completes with %s, tells the checksum %j of the whole object", async (checksum, expected) => {
    document = `<CompleteMultipartUploadResult><ETag>e</ETag>${checksum}</CompleteMultipartUploadResult>`;
    const options = { checksum: undefined, overwrite: false };
    expect(await store.completeUpload(upload, [], options)).toMatchObject({ checksum: expected });
  });

  it.each(["NoSuchUpload", "NoSuchKey"])("and says %s, knows no such upload any more", async (code) => {
    status = 404;
    document = `<Error><Code>${code}</Code></Error>`;
    const gone = { code: "upload_not_found" };
    await expect(store.listParts(upload)).rejects.toMatchObject(gone);
    await expect(store.abortUpload(upload)).rejects.toMatchObject(gone);
    const options = { checksum: undefined, overwrite: false };
    await expect(store.completeUpload(upload, [], options)).rejects.toMatchObject(gone);
  });
});
