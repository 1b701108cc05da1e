import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  DeleteObjectCommand,
  HeadObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Endpoint, getText, isLacking, openEndpoint, putText } from "./endpoint";

let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint?.close());

const at = (key: string) => ({ Bucket: endpoint.bucket, Key: endpoint.prefix + key });

async function head(key: string) {
  const { ETag = "" } = await endpoint.client.send(new HeadObjectCommand(at(key)));
  return { etag: ETag };
}

function copy(from: string, to: string, conditions: Partial<CopyObjectCommandInput> = {}) {
  const CopySource = `${endpoint.bucket}/${encodeURIComponent(endpoint.prefix + from)}`;
  return endpoint.client.send(new CopyObjectCommand({ ...at(to), CopySource, ...conditions }));
}

describe("a copy", () => {
  it("has the content and the headers of the object", async () => {
    await putText(endpoint, `${endpoint.prefix}from é+ .txt`, "content");
    await copy("from é+ .txt", "to");
    expect(await getText(endpoint, `${endpoint.prefix}to`)).toBe("content");
  });

  it("of a missing object is refused", async () => {
    await expect(copy("nowhere", "to")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("is only made if the object matches the condition", async () => {
    await putText(endpoint, `${endpoint.prefix}source`, "content");
    const { etag } = await head("source");
    await copy("source", "same", { CopySourceIfMatch: etag });
    expect(await getText(endpoint, `${endpoint.prefix}same`)).toBe("content");
    const other = copy("source", "other", { CopySourceIfMatch: '"00000000000000000000000000000000"' });
    await expect(other).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } });
    await expect(head("other")).rejects.toMatchObject({ name: "NotFound" });
  });
});

describe("a conditional delete (a store without it responds with 501)", () => {
  it("removes the version that it names, and no other", async () => {
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
});
