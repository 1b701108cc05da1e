import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Endpoint, getText, isLacking, openEndpoint, putText } from "./endpoint";

const HOUR_MS = 3_600_000;
let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint?.close());

const at = (key: string) => ({ Bucket: endpoint.bucket, Key: endpoint.prefix + key });

async function head(key: string) {
  const { ETag = "", LastModified = new Date(0) } = await endpoint.client.send(
    new HeadObjectCommand(at(key)),
  );
  return { etag: ETag, lastModified: LastModified };
}

function copy(from: string, to: string, conditions: Partial<CopyObjectCommandInput> = {}) {
  const CopySource = `${endpoint.bucket}/${encodeURIComponent(endpoint.prefix + from)}`;
  return endpoint.client.send(new CopyObjectCommand({ ...at(to), CopySource, ...conditions }));
}

describe("a copy", () => {
  it("is the object, its content and its headers", async () => {
    await putText(endpoint, `${endpoint.prefix}from é+ .txt`, "content");
    await copy("from é+ .txt", "to");
    expect(await getText(endpoint, `${endpoint.prefix}to`)).toBe("content");
  });

  it("of what is not there is refused", async () => {
    await expect(copy("nowhere", "to")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("is made when its conditions on the source hold, and refused when they do not", async () => {
    await putText(endpoint, `${endpoint.prefix}source`, "content");
    const { etag, lastModified } = await head("source");
    const [before, after] = [lastModified.getTime() - HOUR_MS, lastModified.getTime() + HOUR_MS].map(
      (time) => new Date(time),
    );
    const other = '"00000000000000000000000000000000"';
    // Amazon S3 API Reference, "CopyObject": what each of the two pairs means together is said there too.
    const holding: Partial<CopyObjectCommandInput>[] = [
      { CopySourceIfMatch: etag },
      { CopySourceIfNoneMatch: other },
      { CopySourceIfModifiedSince: before },
      { CopySourceIfUnmodifiedSince: after },
      { CopySourceIfMatch: etag, CopySourceIfUnmodifiedSince: before },
    ];
    const failing: Partial<CopyObjectCommandInput>[] = [
      { CopySourceIfMatch: other },
      { CopySourceIfNoneMatch: etag },
      { CopySourceIfUnmodifiedSince: before },
      { CopySourceIfNoneMatch: etag, CopySourceIfModifiedSince: before },
    ];
    for (const [number, conditions] of holding.entries()) {
      await copy("source", `held-${number}`, conditions);
      expect(await getText(endpoint, `${endpoint.prefix}held-${number}`)).toBe("content");
    }
    for (const [number, conditions] of failing.entries()) {
      await expect(copy("source", `failed-${number}`, conditions)).rejects.toMatchObject({
        $metadata: { httpStatusCode: 412 },
      });
      await expect(head(`failed-${number}`)).rejects.toMatchObject({ name: "NotFound" });
    }
  });
});

describe("a conditional delete (a store without it answers 501)", () => {
  it("removes that very version, and no other", async () => {
    await putText(endpoint, `${endpoint.prefix}kept`, "first");
    const { etag } = await head("kept");
    await putText(endpoint, `${endpoint.prefix}kept`, "second");
    const stale = endpoint.client.send(new DeleteObjectCommand({ ...at("kept"), IfMatch: etag }));
    const error = await stale.catch((refusal: unknown) => refusal);
    if (isLacking(endpoint, error)) return console.info("This endpoint has no conditional deletes.");
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 412 } });
    expect(await getText(endpoint, `${endpoint.prefix}kept`)).toBe("second");
    const missing = endpoint.client.send(new DeleteObjectCommand({ ...at("missing"), IfMatch: etag }));
    const refusal = await missing.catch((refused) => refused.$metadata?.httpStatusCode);
    expect([404, 412]).toContain(refusal);

    const now = await head("kept");
    await endpoint.client.send(new DeleteObjectCommand({ ...at("kept"), IfMatch: now.etag }));
    await expect(head("kept")).rejects.toMatchObject({ name: "NotFound" });
  });

  it("of several removes those that are still the same, and says which are not", async () => {
    for (const key of ["same", "changed"]) await putText(endpoint, endpoint.prefix + key, "first");
    const { etag } = await head("same");
    await putText(endpoint, `${endpoint.prefix}changed`, "second");
    const Objects = ["same", "changed"].map((key) => ({ Key: endpoint.prefix + key, ETag: etag }));
    const command = new DeleteObjectsCommand({ Bucket: endpoint.bucket, Delete: { Objects } });
    const outcome = await endpoint.client.send(command).catch((error: unknown) => error);
    if (outcome instanceof Error && endpoint.foreign) return console.info(`Not here: ${outcome.name}.`);
    expect(outcome).toMatchObject({
      Deleted: [{ Key: `${endpoint.prefix}same` }],
      Errors: [{ Key: `${endpoint.prefix}changed`, Code: "PreconditionFailed" }],
    });
    expect(await getText(endpoint, `${endpoint.prefix}changed`)).toBe("second");
  });
});
