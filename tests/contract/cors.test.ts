import { type CORSRule, DeleteBucketCorsCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Endpoint, isLacking, openEndpoint, presignGet, presignPut, putText } from "./endpoint";
import { openBucketForCors, readCorsRules } from "./own-bucket";

const ORIGIN = "https://app.example.com";
/** Rules as `npm run storage:cors` writes them. */
const RULE: CORSRule = {
  ID: "platform-embed",
  AllowedOrigins: ["https://platform.example.com", ORIGIN],
  AllowedMethods: ["GET", "PUT", "HEAD"],
  AllowedHeaders: ["*"],
  ExposeHeaders: ["ETag", "x-amz-request-id"],
  MaxAgeSeconds: 3000,
};

let lent: Endpoint;
/** the same, with a bucket whose rules may be changed */
let endpoint: Endpoint;
let close: (() => Promise<void>) | undefined;
/** A store of someone else may set CORS by other means than S3's (Swift answers 501), or not let us. */
let reasonToSkip: string | undefined;

beforeAll(async () => {
  lent = await openEndpoint();
  const bucket = await openBucketForCors(lent);
  close = bucket.close;
  reasonToSkip = bucket.reasonToSkip;
  endpoint = { ...lent, bucket: bucket.name };
  if (reasonToSkip !== undefined) return;
  try {
    await readRules();
  } catch (error) {
    if (!isLacking(lent, error)) throw error;
    reasonToSkip = "This endpoint takes no CORS rules.";
    return;
  }
  await endpoint.client.send(new DeleteBucketCorsCommand({ Bucket: endpoint.bucket }));
});
afterAll(async () => {
  await close?.();
  await lent?.close();
});

beforeEach((context) => {
  if (reasonToSkip !== undefined) context.skip(reasonToSkip);
});

function readRules(): Promise<CORSRule[] | undefined> {
  return readCorsRules(endpoint.client, endpoint.bucket);
}

async function preflight(
  origin: string,
  method: string,
  headers = "content-type,if-none-match",
): Promise<Response> {
  const { url } = await presignPut(endpoint, `${endpoint.prefix}upload`);
  return fetch(url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": headers,
    },
  });
}

describe("a bucket without CORS rules", () => {
  it("says so, refuses a preflight, and lets no page read a response", async () => {
    expect(await readRules()).toBeUndefined();
    const refused = await preflight(ORIGIN, "PUT");
    expect(refused.status).toBe(403);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();

    await putText(endpoint, `${endpoint.prefix}closed`);
    const url = await presignGet(endpoint, `${endpoint.prefix}closed`);
    const answer = await fetch(url, { headers: { origin: ORIGIN } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("a bucket with the product's CORS rules", () => {
  beforeAll(async () => {
    if (reasonToSkip === undefined) await endpoint.product.putCorsRules(endpoint.bucket, [RULE]);
  });

  it("returns them as they were written, in any order", async () => {
    const [rule, ...more] = (await readRules()) ?? [];
    expect(more).toEqual([]);
    expect(rule?.AllowedOrigins?.sort()).toEqual([...(RULE.AllowedOrigins ?? [])].sort());
    expect(rule?.AllowedMethods?.sort()).toEqual([...(RULE.AllowedMethods ?? [])].sort());
    expect(rule?.AllowedHeaders).toEqual(RULE.AllowedHeaders);
    expect(rule?.ExposeHeaders?.sort()).toEqual([...(RULE.ExposeHeaders ?? [])].sort());
    expect(rule?.MaxAgeSeconds).toBe(RULE.MaxAgeSeconds);
  });

  it("allows an upload's preflight from an allowed origin", async () => {
    const answer = await preflight(ORIGIN, "PUT");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("access-control-allow-methods")).toContain("PUT");
    expect(answer.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("if-none-match");
    expect(answer.headers.get("access-control-max-age")).toBe("3000");
  });

  it.each(["x-amz-checksum-crc64nvme", "x-amz-checksum-crc32"])(
    "allows a part with the header %s",
    async (header) => {
      const { product, bucket, prefix } = endpoint;
      const upload = await product.createUpload({
        bucket,
        key: `${prefix}part`,
        contentType: "a/b",
        uploadMark: "m",
      });
      const { url } = await product.presignPart(upload, { number: 1, size: 5, checksum: undefined }, 300);
      const asked = {
        origin: ORIGIN,
        "access-control-request-method": "PUT",
        "access-control-request-headers": header,
      };
      const allowed = await fetch(url, { method: "OPTIONS", headers: asked });
      expect(allowed.status).toBe(200);
      expect(allowed.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(allowed.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(header);
      const sent = await fetch(url, { method: "PUT", body: "hello", headers: { origin: ORIGIN } });
      expect([sent.status, sent.headers.get("access-control-allow-origin")]).toEqual([200, ORIGIN]);
      await product.abortUpload(upload);
    },
  );

  it.each([
    ["another origin", "https://evil.example.com", "PUT"],
    ["a longer origin", `${ORIGIN}.evil.com`, "PUT"],
    ["another scheme", ORIGIN.replace("https", "http"), "PUT"],
    ["another method", ORIGIN, "DELETE"],
  ])("refuses the preflight of %s", async (_what, origin, method) => {
    const answer = await preflight(origin, method);
    expect(answer.status).toBe(403);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("lets an allowed origin read responses and the ETag", async () => {
    const { url } = await presignPut(endpoint, `${endpoint.prefix}open`);
    const headers = { origin: ORIGIN, "content-type": "application/pdf" };
    const answer = await fetch(url, { method: "PUT", body: "hello", headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("access-control-expose-headers")?.toLowerCase()).toContain("etag");
    expect(answer.headers.get("vary")?.toLowerCase()).toContain("origin");
  });

  it("lets no other origin read a refusal (S3 documents no CORS headers for it)", async () => {
    const { url } = await presignPut(endpoint, `${endpoint.prefix}refused`);
    const headers = { origin: ORIGIN, "content-type": "text/html" };
    const answer = await fetch(url, { method: "PUT", body: "hello", headers });
    expect(answer.status).toBe(403);
    expect([ORIGIN, null]).toContain(answer.headers.get("access-control-allow-origin"));
    const stranger = { ...headers, origin: "https://evil.example.com" };
    const refused = await fetch(url, { method: "PUT", body: "hello", headers: stranger });
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
  });
});
