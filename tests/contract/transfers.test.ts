/** What uploads and downloads in a browser need of a store, tested with the product's own calls. */
import { AbortMultipartUploadCommand, ListPartsCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoreUpload } from "../../app/providers/multipart.server";
import type { ChecksumAlgorithm } from "../../embed-element/shared/checksums";
import { Crc, crcToBase64 } from "../../embed-element/shared/crc";
import { codeOf, type Endpoint, getText, openEndpoint, presignGet, putText } from "./endpoint";

let endpoint: Endpoint;
let run = 0;

beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint?.close());

/** base64, of a text */
function checksumOf(algorithm: ChecksumAlgorithm, text: string): string {
  const crc = new Crc(algorithm);
  crc.update(Buffer.from(text));
  return crcToBase64(algorithm, crc.value);
}

function create(key = `${endpoint.prefix}transfer-${run++}`): Promise<StoreUpload> {
  const { bucket, product } = endpoint;
  return product.createUpload({ bucket, key, contentType: "text/plain", uploadMark: `mark of ${key}` });
}

/** Sends a part as a browser does. */
async function send(upload: StoreUpload, number: number, body: string, checksum?: string): Promise<Response> {
  const { url, headers } = await endpoint.product.presignPart(
    upload,
    { number, size: body.length, checksum },
    300,
  );
  return fetch(url, { method: "PUT", body, headers });
}

async function complete(
  upload: StoreUpload,
  { checksum, overwrite = false }: { checksum?: string; overwrite?: boolean } = {},
) {
  const parts = await endpoint.product.listParts(upload);
  return endpoint.product.completeUpload(upload, parts, { checksum, overwrite });
}

const abort = (upload: StoreUpload) => endpoint.product.abortUpload(upload);

describe("a part by presigned URL", () => {
  it("is accepted without a checksum, and the object shows which upload it came from", async () => {
    const upload = await create();
    expect((await send(upload, 1, "hello")).status).toBe(200);
    const [part, ...more] = await endpoint.product.listParts(upload);
    expect([part?.number, part?.size, more]).toEqual([1, 5, []]);
    // Where the store takes an algorithm at all, it works out what it was not told.
    if (upload.algorithm !== null) expect(part?.checksum).toBe(checksumOf(upload.algorithm, "hello"));
    const { etag } = await complete(upload);
    const found = await endpoint.product.describeObject(upload);
    expect(found).toMatchObject({ size: 5, uploadMark: `mark of ${upload.key}` });
    if (endpoint.foreign && etag === undefined)
      console.info("This endpoint does not say the ETag when it completes.");
    else expect(found?.etag).toBe(etag);
  });

  it("is accepted with its checksum, and refused with a wrong one (null for a store without checksums)", async () => {
    const upload = await create();
    const { algorithm } = upload;
    if (algorithm === null) {
      expect(endpoint.foreign).toBe(true);
      console.info("This endpoint takes no checksum of a whole object: parts are not checked on arrival.");
      return abort(upload);
    }
    const refused = await send(upload, 1, "hello", checksumOf(algorithm, "hellp"));
    expect([refused.status, await codeOf(refused)]).toEqual([400, "BadDigest"]);
    expect(await endpoint.product.listParts(upload)).toEqual([]);
    expect((await send(upload, 1, "hello", checksumOf(algorithm, "hello"))).status).toBe(200);
    await complete(upload);
    expect(await getText(endpoint, upload.key)).toBe("hello");
  });

  it("is refused with a length that was not signed, and for another number or upload", async () => {
    const [upload, other] = [await create(), await create()];
    const { url } = await endpoint.product.presignPart(
      upload,
      { number: 1, size: 5, checksum: undefined },
      300,
    );
    const put = async (changed: string, body: string) => {
      const answer = await fetch(changed, { method: "PUT", body });
      return [answer.status, await codeOf(answer)];
    };
    const wrong = [403, "SignatureDoesNotMatch"];
    expect(await put(url, "hell")).toEqual(wrong);
    expect(await put(url, "hello!")).toEqual(wrong);
    expect(await put(url.replace("partNumber=1", "partNumber=2"), "hello")).toEqual(wrong);
    const { uploadId } = upload;
    const elsewhere = url.replace(encodeURIComponent(uploadId), encodeURIComponent(other.uploadId));
    expect(elsewhere).not.toBe(url);
    expect(await put(elsewhere, "hello")).toEqual(wrong);
    for (const each of [upload, other]) {
      expect(await endpoint.product.listParts(each)).toEqual([]);
      await abort(each);
    }
  });

  it("replaces the one that was sent before", async () => {
    const upload = await create();
    expect((await send(upload, 1, "first")).status).toBe(200);
    expect((await send(upload, 1, "and again")).status).toBe(200);
    expect(await endpoint.product.listParts(upload)).toMatchObject([{ number: 1, size: 9 }]);
    await complete(upload);
    expect(await getText(endpoint, upload.key)).toBe("and again");
  });

  it("says so when its upload is gone", async () => {
    const upload = await create();
    await abort(upload);
    const answer = await send(upload, 1, "late");
    expect([answer.status, await codeOf(answer)]).toEqual([404, "NoSuchUpload"]);
    await expect(endpoint.product.listParts(upload)).rejects.toMatchObject({ code: "upload_not_found" });
    // Some stores say that it is gone, some that they did it.
    await abort(upload).catch((error: unknown) => expect(error).toMatchObject({ code: "upload_not_found" }));
  });
});

describe("a list of parts", () => {
  it("continues beyond one page, and beyond number 1,000", async () => {
    const upload = await create();
    const numbers = [1, 2, 999, 1_001, 5_000, 10_000];
    for (const number of numbers) await send(upload, number, `part ${number}`);
    const listed: (number | undefined)[] = [];
    const at = { Bucket: upload.bucket, Key: upload.key, UploadId: upload.uploadId };
    for (let marker: string | undefined; listed.length <= numbers.length; ) {
      const command = new ListPartsCommand({ ...at, MaxParts: 2, PartNumberMarker: marker });
      const { Parts = [], IsTruncated, NextPartNumberMarker } = await endpoint.client.send(command);
      listed.push(...Parts.map(({ PartNumber }) => PartNumber));
      if (!IsTruncated) break;
      marker = NextPartNumberMarker;
    }
    expect(listed).toEqual(numbers);
    expect((await endpoint.product.listParts(upload)).map(({ number }) => number)).toEqual(numbers);
    await endpoint.client.send(new AbortMultipartUploadCommand(at));
  });

  it("contains all of more than 1,000 parts (a thousand requests: skipped on other people's stores)", async (context) => {
    if (endpoint.foreign) return context.skip("A thousand requests are not sent to a store of someone else.");
    const upload = await create();
    const numbers = Array.from({ length: 1_003 }, (_, index) => index + 1);
    for (let start = 0; start < numbers.length; start += 50) {
      await Promise.all(numbers.slice(start, start + 50).map((number) => send(upload, number, "x")));
    }
    expect((await endpoint.product.listParts(upload)).map(({ number }) => number)).toEqual(numbers);
    await abort(upload);
  });
});

describe("a completion by the product", () => {
  it("is refused with the checksum of another object, and accepted with its own", async () => {
    const upload = await create();
    const { algorithm } = upload;
    await send(upload, 1, "hello");
    if (algorithm === null) {
      console.info("This endpoint takes no checksum of a whole object: nothing is compared at the end.");
      return abort(upload);
    }
    const wrong = complete(upload, { checksum: checksumOf(algorithm, "hellp") });
    await expect(wrong).rejects.toMatchObject({ code: "checksum_mismatch" });
    expect(await endpoint.product.describeObject(upload)).toBeNull();
    await complete(upload, { checksum: checksumOf(algorithm, "hello") });
    expect(await getText(endpoint, upload.key)).toBe("hello");
  });

  it("responds the same twice, or that the upload is gone and the object carries its mark", async () => {
    const upload = await create();
    await send(upload, 1, "hello");
    const parts = await endpoint.product.listParts(upload);
    const options = { checksum: undefined, overwrite: true };
    const completed = await endpoint.product.completeUpload(upload, parts, options);
    const again = await endpoint.product
      .completeUpload(upload, parts, options)
      .catch((error: unknown) => error);
    if (again instanceof Error) expect(again).toMatchObject({ code: "upload_not_found" });
    else if (!endpoint.foreign) expect(again).toEqual(completed);
    expect(await endpoint.product.describeObject(upload)).toMatchObject({
      size: 5,
      uploadMark: `mark of ${upload.key}`,
    });
  });

  it("never overwrites unless asked to (some stores ignore the condition, so the product looks first)", async () => {
    const upload = await create();
    await putText(endpoint, upload.key, "another's");
    expect(await endpoint.product.describeObject(upload)).toMatchObject({ size: 9, uploadMark: undefined });
    await send(upload, 1, "hello");
    const outcome = await complete(upload).catch((error: unknown) => error);
    if (endpoint.foreign && !(outcome instanceof Error)) {
      return console.info("This endpoint completes uploads without conditions.");
    }
    expect(outcome).toMatchObject({ code: "name_taken" });
    expect(await getText(endpoint, upload.key)).toBe("another's");
    await complete(upload, { overwrite: true });
    expect(await getText(endpoint, upload.key)).toBe("hello");
  });
});

describe("a single upload by presigned URL", () => {
  it.each(["CRC32", "CRC64NVME"] as const)(
    "is taken with its %s, and refused with another's (some stores ignore it, or refuse the header)",
    async (algorithm) => {
      const { product, bucket } = endpoint;
      const key = `${endpoint.prefix}checked by ${algorithm}`;
      const put = async (body: string) => {
        const checksum = { algorithm, value: checksumOf(algorithm, "hello") };
        const file = { bucket, key, contentType: "text/plain", size: 5, ifNoneMatch: false, checksum };
        const { url, headers } = await product.presignPut({ ...file, expiresInSeconds: 300 });
        return fetch(url, { method: "PUT", body, headers });
      };
      const whole = await put("hello");
      if (endpoint.foreign && whole.status !== 200) {
        expect([400, 501]).toContain(whole.status);
        return console.info(`This endpoint refuses a file with its ${algorithm}: ${await codeOf(whole)}.`);
      }
      expect(whole.status).toBe(200);
      const damaged = await put("hellp");
      if (endpoint.foreign && damaged.status === 200) {
        return console.info(`This endpoint ignores ${algorithm}.`);
      }
      expect([damaged.status, await codeOf(damaged)]).toEqual([400, "BadDigest"]);
      expect(await getText(endpoint, key)).toBe("hello");
    },
  );
});

describe("a broken download", () => {
  it("continues with Range while the object is unchanged, and is refused once it has changed", async () => {
    const key = `${endpoint.prefix}resumed`;
    await putText(endpoint, key, "0123456789");
    const url = await presignGet(endpoint, key, "attachment");
    const whole = await fetch(url);
    expect(await whole.text()).toBe("0123456789");
    const headers = { range: "bytes=4-", "if-match": whole.headers.get("etag") ?? "" };
    const rest = await fetch(url, { headers });
    expect([rest.status, await rest.text()]).toEqual([206, "456789"]);
    expect(rest.headers.get("etag")).toBe(headers["if-match"]);
    await putText(endpoint, key, "another's!");
    const changed = await fetch(url, { headers });
    expect([changed.status, await codeOf(changed)]).toEqual([412, "PreconditionFailed"]);
  });
});
