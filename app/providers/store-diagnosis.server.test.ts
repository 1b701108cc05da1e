import { S3ServiceException } from "@aws-sdk/client-s3";
import { beforeEach, expect, test } from "vitest";
import { createStoreDiagnosis } from "./store-diagnosis.server";

const origin = "https://embed.example.com";
const allowing = {
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "GET, PUT, HEAD",
  "access-control-allow-headers":
    "content-type, if-none-match, x-amz-checksum-crc64nvme, x-amz-checksum-crc32",
};

/** milliseconds; a clock at zero counts as none */
const START = 1_000;
let time: number;
let probes: number;
let preflight: () => Promise<{ status: number; headers: Record<string, string> }>;
let bucketFails: unknown;
let asked: Record<string, string>[];
let storeDiagnosis: ReturnType<typeof createStoreDiagnosis>;

beforeEach(() => {
  time = START;
  probes = 0;
  asked = [];
  bucketFails = undefined;
  preflight = async () => ({ status: 200, headers: allowing });
  storeDiagnosis = createStoreDiagnosis(
    {
      bucketUrl: async (bucket) => new URL(`https://store.example/${bucket}/`),
      sendUnsigned: async (method, url, headers) => {
        asked.push({ method, url: url.href, ...headers });
        return preflight();
      },
      tryBucket: async () => {
        probes++;
        if (bucketFails) throw bucketFails;
      },
    },
    { now: () => time },
  );
});

const diagnose = (operation: "upload" | "download" = "upload", bucket = "docs") =>
  storeDiagnosis({ bucket, origin, operation });

function refusal(name: string, status: number): S3ServiceException {
  return new S3ServiceException({
    name,
    $fault: "client",
    message: name,
    $metadata: { httpStatusCode: status },
  });
}

test("asks as the browser would, and finds nothing where the store lets it", async () => {
  expect(await diagnose()).toEqual({ problem: null, advice: null });
  expect(await diagnose("download")).toEqual({ problem: null, advice: null });
  expect(asked).toEqual([
    {
      method: "OPTIONS",
      url: "https://store.example/docs/_",
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers":
        "content-type,if-none-match,x-amz-checksum-crc64nvme,x-amz-checksum-crc32",
    },
    {
      method: "OPTIONS",
      url: "https://store.example/docs/_",
      origin,
      "access-control-request-method": "GET",
    },
  ]);
});

test.each([
  ["refused", { status: 403, headers: {} }],
  ["without headers", { status: 200, headers: {} }],
  [
    "for another origin",
    { status: 200, headers: { ...allowing, "access-control-allow-origin": "https://x" } },
  ],
  ["for other methods", { status: 200, headers: { ...allowing, "access-control-allow-methods": "GET" } }],
  [
    "for no checksums",
    { status: 200, headers: { ...allowing, "access-control-allow-headers": "content-type, if-none-match" } },
  ],
  ["for other headers", { status: 200, headers: { ...allowing, "access-control-allow-headers": "range" } }],
])("CORS is what is missing when the preflight is %s", async (_, response) => {
  preflight = async () => response;
  const { problem, advice } = await diagnose();
  expect(problem).toBe("cors_missing");
  expect(advice).toContain("npm run storage:cors -- --bucket docs");
});

test.each([
  ["InvalidAccessKeyId", 403, "store_refused", "CLOUD_ACCESS_KEY_ID"],
  ["SignatureDoesNotMatch", 403, "store_refused", "CLOUD_SECRET_ACCESS_KEY"],
  ["AccessDenied", 403, "store_refused", "s3:ListBucket"],
  ["PermanentRedirect", 301, "store_refused", "CLOUD_REGION"],
  ["NoSuchBucket", 404, "bucket_not_found", "allowed_scopes"],
  ["RequestTimeTooSkewed", 403, "clock_skewed", "NTP"],
  ["SlowDown", 503, "store_busy", "SlowDown"],
] as const)("%s (%i) is %s, and the advice names %s", async (name, status, problem, named) => {
  bucketFails = refusal(name, status);
  // The other probe fails for the same reason: it must not be taken for the cause.
  preflight = async () => ({ status: 403, headers: {} });
  const found = await diagnose();
  expect(found.problem).toBe(problem);
  expect(found.advice).toContain(named);
});

test("a store that does not respond is unreachable, and CORS is not blamed", async () => {
  bucketFails = Object.assign(new Error("connect ECONNREFUSED"), { name: "Error" });
  preflight = async () => {
    throw new Error("connect ECONNREFUSED");
  };
  const { problem, advice } = await diagnose();
  expect(problem).toBe("store_unreachable");
  expect(advice).toContain("CLOUD_S3_ENDPOINT");
});

test("is remembered for ten seconds for each bucket and operation", async () => {
  await Promise.all(Array.from({ length: 1000 }, () => diagnose()));
  expect(probes).toBe(1);
  await diagnose("download");
  await diagnose("upload", "other");
  expect(probes).toBe(3);
  time = START + 10_000;
  await diagnose();
  expect(probes).toBe(3);
  time = START + 10_001;
  await diagnose();
  expect(probes).toBe(4);
});
