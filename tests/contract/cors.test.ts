import {
  type CORSRule,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  PutBucketCorsCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CorsRule } from "../../app/providers/object-store.server";
import { type Endpoint, openEndpoint, presignGet, presignPut, putText } from "./endpoint";

const ORIGIN = "https://app.example.com";
/** The rules that the product writes: Specification, "Object storage access model". */
const RULE: CorsRule = {
  allowedOrigins: ["https://platform.example.com", ORIGIN],
  allowedMethods: ["GET", "PUT", "HEAD"],
  allowedHeaders: ["*"],
  exposeHeaders: ["ETag", "x-amz-request-id"],
  maxAgeSeconds: 3000,
};

let endpoint: Endpoint;
let rulesBefore: CORSRule[] | undefined;
/** A store of someone else may set CORS by other means than S3's (Swift answers 501). */
let hasCors = true;

beforeAll(async () => {
  endpoint = await openEndpoint();
  try {
    rulesBefore = await readRules();
  } catch (error) {
    hasCors = !(endpoint.foreign && error instanceof Error && error.name === "NotImplemented");
    if (hasCors) throw error;
    return;
  }
  await endpoint.client.send(new DeleteBucketCorsCommand({ Bucket: endpoint.bucket }));
});
afterAll(async () => {
  if (!endpoint) return;
  const { bucket: Bucket, client } = endpoint;
  if (rulesBefore) {
    const CORSConfiguration = { CORSRules: rulesBefore };
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }));
  } else if (hasCors) {
    await client.send(new DeleteBucketCorsCommand({ Bucket }));
  }
  await endpoint.close();
});

beforeEach((context) => {
  if (!hasCors) context.skip("This endpoint takes no CORS rules.");
});

async function readRules(): Promise<CORSRule[] | undefined> {
  try {
    const answer = await endpoint.client.send(new GetBucketCorsCommand({ Bucket: endpoint.bucket }));
    return answer.CORSRules;
  } catch (error) {
    if (error instanceof Error && error.name === "NoSuchCORSConfiguration") return undefined;
    throw error;
  }
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
  it("says so, refuses a preflight, and lets no page read an answer", async () => {
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
    if (hasCors) await endpoint.product.putCorsRules(endpoint.bucket, [RULE]);
  });

  it("gives them back as they were written", async () => {
    expect(await readRules()).toEqual([
      expect.objectContaining({
        AllowedOrigins: RULE.allowedOrigins,
        AllowedMethods: RULE.allowedMethods,
        AllowedHeaders: RULE.allowedHeaders,
        ExposeHeaders: RULE.exposeHeaders,
        MaxAgeSeconds: RULE.maxAgeSeconds,
      }),
    ]);
  });

  it("allows an upload's preflight from a named origin", async () => {
    const answer = await preflight(ORIGIN, "PUT");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("access-control-allow-methods")).toContain("PUT");
    expect(answer.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("if-none-match");
    expect(answer.headers.get("access-control-max-age")).toBe("3000");
  });

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

  it("lets a named origin read the answers and the ETag", async () => {
    const { url } = await presignPut(endpoint, `${endpoint.prefix}open`);
    const headers = { origin: ORIGIN, "content-type": "application/pdf" };
    const answer = await fetch(url, { method: "PUT", body: "hello", headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("access-control-expose-headers")?.toLowerCase()).toContain("etag");
    expect(answer.headers.get("vary")?.toLowerCase()).toContain("origin");
  });

  it("lets a named origin read a refusal as well", async () => {
    const { url } = await presignPut(endpoint, `${endpoint.prefix}refused`);
    const headers = { origin: ORIGIN, "content-type": "text/html" };
    const answer = await fetch(url, { method: "PUT", body: "hello", headers });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
  });
});
