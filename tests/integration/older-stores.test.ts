/** Uploads and changes on stores that ignore what Amazon S3 added later, with damage on the way to them. */
import { createHash, randomBytes } from "node:crypto";
import { ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ceph16, type IgnoredFeatures } from "../../local/object-store";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";
import { type Asked, asks, secondsAgo } from "../support/files/cut-off-changes";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { multipartCalls, sha256, someBytes } from "../support/files/multipart-calls";
import { openStorage } from "../support/files/storage-calls";
import { type BadNetwork, startBadNetwork } from "../support/network/bad-network";

const MiB = 1024 ** 2;
const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("base64");

let faulty: FaultyStore;
let network: BadNetwork;
let app: RouteApp;
let flips = 0;

beforeAll(async () => {
  faulty = await startFaultyStore(inject("stack"));
  network = await startBadNetwork(faulty.stack.objectStore.endpoint);
  app = createRouteApp(behindNetwork());
});
afterAll(async () => {
  await app?.close();
  await network?.close();
  await faulty?.close();
});
beforeEach(() => {
  flips = 0;
  faulty.requests = [];
  // Only what browsers send by presigned URL is damaged.
  network.fault = ({ url }) => (url?.includes("X-Amz-Signature") && flips-- > 0 ? "flipped" : null);
});

const behindNetwork = () => ({
  ...faulty.stack,
  objectStore: { ...faulty.stack.objectStore, endpoint: network.endpoint },
});

/** A new bucket in a store that ignores these features, and the calls of the endpoints. */
async function openOn(ignores: IgnoredFeatures) {
  faulty.intercept = null;
  const storage = await openStorage(behindNetwork());
  faulty.intercept = () => ({ ignores });
  const multipart = multipartCalls(app.platformBaseUrl, storage, app.fetch);
  const presign = async (body: object = {}) => {
    const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/presign-upload`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        token: storage.token,
        bucket: storage.bucket.name,
        folderPath: "/",
        fileName: "new.bin",
        contentType: "application/x-test",
        ...body,
      }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { ...storage, ...multipart, presign };
}

/** Sends bytes as a browser does. @returns S3's error code, or the status */
async function put({ url, headers }: { url: string; headers: HeadersInit }, bytes: Buffer) {
  const response = await fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) });
  return /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? response.status;
}

describe("one bit that changes on the way to a store that ignores checksums", () => {
  const small = randomBytes(3 * MiB);
  const large = someBytes();
  const checksum = { algorithm: "CRC32", value: "AAAAAA==" };

  it("is stored if a single upload has only a checksum", async () => {
    const { presign, bucket } = await openOn(ceph16);
    const { body } = await presign({ checksum });
    flips = 1;
    expect(await put(body, small)).toBe(200);
    expect(await bucket.sha256("new.bin")).not.toBe(sha256(small));
  });

  it("is noticed by the MD5 of a single upload, which arrives right when it is sent again", async () => {
    const { presign, bucket } = await openOn(ceph16);
    const { body } = await presign({ checksum, contentMd5: md5(small) });
    expect(body).toMatchObject({ integrity: "contentMd5", headers: { "Content-MD5": md5(small) } });
    flips = 1;
    expect(await put(body, small)).toBe("BadDigest");
    expect(await bucket.get("new.bin")).toBeNull();
    expect(await put(body, small)).toBe(200);
    expect(await bucket.sha256("new.bin")).toBe(sha256(small));
  });

  it("is noticed by the MD5 of a part, which arrives right when it is sent again", async () => {
    const { create, ask, bucket } = await openOn(ceph16);
    const { body: created } = await create();
    expect(created).toMatchObject({ checksum: null, integrity: "contentMd5", partCount: 3 });
    const { upload, partSize, key } = created;
    const parts = [1, 2, 3].map((number) => large.subarray((number - 1) * partSize, number * partSize));
    const numbered = parts.map((part, index) => ({ number: index + 1, contentMd5: md5(part) }));
    const { body: signed } = await ask("sign", { upload, parts: numbered });
    flips = 1;
    expect(await put(signed.parts[1], parts[1] ?? large)).toBe("BadDigest");
    expect((await ask("list", { upload })).body.parts).toEqual([]);
    for (const [index, part] of parts.entries()) expect(await put(signed.parts[index], part)).toBe(200);
    expect((await ask("complete", { upload })).status).toBe(200);
    expect(await bucket.sha256(key)).toBe(sha256(large));
  });

  it("is noticed only if the MD5 was signed: a URL cannot be used without it", async () => {
    const { presign } = await openOn(ceph16);
    const { body } = await presign({ contentMd5: md5(small) });
    const { "Content-MD5": _, ...headers } = body.headers;
    expect(await put({ url: body.url, headers }, small)).toBe("SignatureDoesNotMatch");
    expect(await put({ url: body.url, headers: { ...headers, "Content-MD5": md5(large) } }, small)).toBe(
      "SignatureDoesNotMatch",
    );
  });
});

describe("what a store compares", () => {
  it.each<[string, IgnoredFeatures, string | null, string | null]>([
    ["checksums", {}, "checksum", "CRC64NVME"],
    ["only MD5s", ceph16, "contentMd5", null],
    ["neither", { ...ceph16, contentMd5: true }, null, null],
    ["only checksums", { contentMd5: true }, "checksum", "CRC64NVME"],
  ])("is %s", async (_, ignores, integrity, algorithm) => {
    const { presign, create } = await openOn(ignores);
    expect(await presign()).toMatchObject({ status: 200, body: { integrity } });
    expect(await create()).toMatchObject({ status: 200, body: { integrity, checksum: algorithm } });
  });

  it("is tried once for many uploads, and leaves nothing in the bucket", async () => {
    const { presign, bucket } = await openOn(ceph16);
    const before = await bucket.list();
    faulty.requests = [];
    await Promise.all(Array.from({ length: 5 }, (_, index) => presign({ fileName: `${index}.bin` })));
    await presign();
    const trials = faulty.requests.filter((request) => request.startsWith("POST"));
    expect(trials).toHaveLength(1);
    expect(await bucket.list()).toEqual(before);
    expect(await uploadsIn(bucket.name)).toEqual([]);
  });

  it.each<[string, (request: Asked) => boolean, object]>([
    ["denies multipart uploads", ({ query }) => query.has("uploads"), { status: 403, code: "AccessDenied" }],
    ["asks for a pause", ({ query }) => query.has("partNumber"), { status: 503, code: "SlowDown" }],
    [
      "has no multipart uploads",
      ({ query }) => query.has("uploads"),
      { status: 501, code: "NotImplemented" },
    ],
  ])("is taken for MD5s where the store %s", async (_, isMeant, error) => {
    const { presign } = await openOn({});
    faulty.intercept = (request) =>
      isMeant(request) ? { error: error as { status: number; code: string } } : undefined;
    expect(await presign()).toMatchObject({ status: 200, body: { integrity: "contentMd5" } });
  });

  it.each<[string, (request: Asked) => boolean]>([
    ["is silent", () => true],
    ["falls silent during the trial", ({ method }) => method !== "POST"],
  ])("is taken for MD5s where the store %s, and the upload is signed all the same", async (_, isMeant) => {
    const { presign } = await openOn({});
    faulty.intercept = (request) => (isMeant(request) ? { hang: true } : undefined);
    expect(await presign()).toMatchObject({ status: 200, body: { integrity: "contentMd5" } });
  });
});

describe("a store that ignores conditions", () => {
  const putsToo: IgnoredFeatures = { ...ceph16, putConditions: true };

  it("is not asked to overwrite by a single upload that may not", async () => {
    const { presign } = await openOn(putsToo);
    const taken = await presign({ fileName: "readme.txt", ifNoneMatch: true });
    expect(taken).toMatchObject({ status: 409, body: { code: "name_taken" } });
    expect((await presign({ fileName: "readme.txt" })).status).toBe(200);
    expect((await presign({ fileName: "free.txt", ifNoneMatch: true })).status).toBe(200);
  });

  describe("and changes", () => {
    let calls: ChangeCalls;
    let at: string;
    let made = 0;

    beforeEach(async () => {
      faulty.intercept = null;
      at = `changes-${made++}`;
      calls ??= await openChanges(behindNetwork(), app.fetch);
      await secondsAgo(() => calls.put({ [`${at}/a.txt`]: "a's", [`${at}/b.txt`]: "b's" }));
    });

    const rename = (from: string, name: string) =>
      calls.change("move", { items: [{ key: `${at}/${from}` }], to: `/${at}`, name, onConflict: "fail" });

    it("keeps both files if two are renamed to one name at once", async () => {
      faulty.intercept = () => ({ ignores: ceph16 });
      const renamed = await Promise.all([rename("a.txt", "c.txt"), rename("b.txt", "c.txt")]);
      faulty.intercept = null;
      expect(renamed.map(({ done }) => done).sort()).toEqual([0, 1]);
      expect(Object.values(await calls.below(at)).sort()).toEqual(["a's", "b's"]);
    });

    it("keeps a file whose copy another program overwrites at once", async () => {
      // The first two looks at the new name come before the copy.
      let looks = 0;
      faulty.intercept = async (request) => {
        if (asks.look(request) && request.key === `${at}/c.txt` && ++looks === 3)
          await calls.bucket.put(`${at}/c.txt`, "other's");
        return { ignores: ceph16 };
      };
      const { done, failed } = await rename("a.txt", "c.txt");
      faulty.intercept = null;
      expect([done, failed]).toEqual([0, [{ key: `${at}/a.txt`, code: "name_taken" }]]);
      expect(await calls.below(at)).toMatchObject({ "a.txt": "a's", "c.txt": "other's" });
    });

    it("does not delete a file that was changed while it was moved", async () => {
      const key = `${at}/a.txt`;
      let isCopied = false;
      let looks = 0;
      faulty.intercept = async (request) => {
        if (asks.copy(request)) isCopied = true;
        // The first look after the copy compares the two; the second is the one before the deletion.
        if (asks.look(request) && isCopied && request.key === key && ++looks === 2) {
          faulty.intercept = () => ({ ignores: ceph16 });
          await calls.bucket.put(key, "newer");
        }
        return { ignores: ceph16 };
      };
      const moved = await rename("a.txt", "c.txt");
      faulty.intercept = null;
      expect(moved).toMatchObject({ done: 0, failed: [{ key, code: "upload_conflict" }] });
      expect(await calls.below(at)).toEqual({ "a.txt": "newer", "b.txt": "b's", "c.txt": "a's" });
    });
  });
});

/** The keys of the unfinished multipart uploads. */
async function uploadsIn(bucket: string): Promise<(string | undefined)[]> {
  const { endpoint, region, accessKeyId, secretAccessKey } = faulty.stack.objectStore;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  client.destroy();
  return Uploads.map(({ Key }) => Key);
}
