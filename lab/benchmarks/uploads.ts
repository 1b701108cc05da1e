/**
 * Compares the upload of one large file by the explorer and by Uppy (`@uppy/core`, `@uppy/aws-s3`), in Chromium, to the same store over the
 * same link. Uppy's server only signs requests. The link has a round trip of 100 ms and a rate limit for each connection.
 */
import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutBucketCorsCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { chromium, type Page } from "@playwright/test";
import { build } from "esbuild";
import { startObjectStore } from "../../local/object-store";
import type { StackInfo } from "../../local/stack-info";
import { startIntegrator } from "../../tests/e2e/integrator";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { startTestStack } from "../../tests/support/app/stack";
import { makeTestFolder } from "../../tests/support/databases/postgres";
import { makeBucket, type TestBucket } from "../../tests/support/files/bucket";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { startSlowLink } from "../../tests/support/network/slow-link";
import { installPeers } from "./peers";
import type { BenchmarkResult } from "./result";

const MiB = 1024 ** 2;
const FILE_BYTES = Number(process.env.UPLOAD_MIB ?? 1024) * MiB;
const LINK = { roundTripMs: 100, bytesPerSecond: 4_000_000 };
/** Maximum number of connections that a browser opens to one host. */
const MAX_CONNECTIONS = 6;

const here = fileURLToPath(new URL("uppy/", import.meta.url));

export async function run(): Promise<BenchmarkResult> {
  const peers = installPeers(here);
  const folder = await makeTestFolder();
  const stack = await startTestStack({ app: "none" });
  const { region, accessKeyId, secretAccessKey } = stack.info.objectStore;
  const dataDir = join(folder, "store");
  const store = await startObjectStore({ port: 0, dataDir, region, accessKeyId, secretAccessKey });
  const link = await startSlowLink(store.endpoint, LINK);
  const behind = { ...stack.info, objectStore: { ...stack.info.objectStore, endpoint: link.endpoint } };
  const file = join(folder, "film.mp4");
  writeFileSync(file, "");
  const piece = Buffer.alloc(64 * MiB);
  for (let at = 0; at < FILE_BYTES; at += piece.length)
    writeFileSync(file, randomFillSync(piece), { flag: "a" });
  try {
    const ours = await timeExplorer(behind, file);
    const theirs = await timeUppy(behind, file);
    const rate = (seconds: number) => `${(FILE_BYTES / 1e6 / seconds).toFixed(1)} MB/s`;
    const most = (MAX_CONNECTIONS * LINK.bytesPerSecond) / 1e6;
    const capacity = `${((FILE_BYTES / 1e6 / ours / most) * 100).toFixed(0)} % of the capacity of ${MAX_CONNECTIONS} connections`;
    return {
      title: `Uploading ${FILE_BYTES / MiB} MiB once over a link of ${LINK.roundTripMs} ms and ${LINK.bytesPerSecond / 1e6} MB/s for each connection`,
      rows: [
        { name: "explorer", value: `${ours.toFixed(1)} s`, compared: `${rate(ours)}, ${capacity}` },
        {
          name: "Uppy",
          value: `${theirs.toFixed(1)} s`,
          compared: `${rate(theirs)}; the explorer is ${(theirs / ours).toFixed(2)} times as fast`,
        },
      ],
      raw: { "explorer, s": [ours], "Uppy, s": [theirs] },
      peers,
    };
  } finally {
    await link.close();
    await store.close();
    await stack.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timeExplorer(stack: StackInfo, file: string): Promise<number> {
  const app = await startBuiltApp(stack, {});
  const platformBaseUrl = app.env.PLATFORM_BASE_URL ?? "";
  const integrator = await startIntegrator({ ...stack, apiBaseUrl: app.apiBaseUrl, platformBaseUrl });
  try {
    return await inChromium(integrator.origin, async (page) => {
      await page.locator("platform-embed:state(ready)").waitFor();
      const input = page.frameLocator("iframe").locator("input[type=file]").first();
      return timeUntil(
        () => input.setInputFiles(file),
        () => isThere(integrator.bucket),
      );
    });
  } finally {
    await integrator.close();
    await app.close();
  }
}

async function timeUppy(stack: StackInfo, file: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [join(here, "page.mjs")],
    bundle: true,
    minify: true,
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const { endpoint, region, accessKeyId, secretAccessKey } = stack.objectStore;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  const bucket = await makeBucket(stack);
  const server = createServer(async (request, response) => {
    if (request.url === "/sign")
      return response.end(await sign(client, bucket.name, JSON.parse(await text(request))));
    if (request.url === "/page.js") return response.end(script);
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(`<!doctype html><title>Uppy</title><input type="file" /><script src="/page.js"></script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await allowAll(client, bucket.name, origin);
  try {
    return await inChromium(origin, (page) =>
      timeUntil(
        () => page.locator("input").setInputFiles(file),
        async () => (await page.title()) === "done",
      ),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Uppy reads ETags of parts and completes uploads with POST in the browser. */
async function allowAll(client: S3Client, bucket: string, origin: string): Promise<void> {
  const rule = {
    AllowedMethods: ["GET", "PUT", "POST", "DELETE"],
    AllowedHeaders: ["*"],
    AllowedOrigins: [origin],
    ExposeHeaders: ["ETag"],
    MaxAgeSeconds: 3000,
  };
  await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [rule] } }));
}

interface SignRequest {
  method: string;
  key: string;
  uploadId?: string;
  partNumber?: number;
}

function sign(client: S3Client, bucket: string, { method, key, uploadId, partNumber }: SignRequest) {
  const object = { Bucket: bucket, Key: key };
  const upload = { ...object, UploadId: uploadId ?? "" };
  const options = { expiresIn: 900 };
  if (method === "PUT") {
    return getSignedUrl(client, new UploadPartCommand({ ...upload, PartNumber: partNumber ?? 1 }), options);
  }
  if (method === "GET") return getSignedUrl(client, new ListPartsCommand(upload), options);
  if (method === "DELETE") return getSignedUrl(client, new AbortMultipartUploadCommand(upload), options);
  return uploadId === undefined
    ? getSignedUrl(client, new CreateMultipartUploadCommand(object), options)
    : getSignedUrl(client, new CompleteMultipartUploadCommand(upload), options);
}

async function inChromium<Result>(url: string, work: (page: Page) => Promise<Result>): Promise<Result> {
  const browser = await chromium.launch({ executablePath: findChromium(() => {}), args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    return await work(page);
  } finally {
    await browser.close();
  }
}

/** Returns the time in seconds. */
async function timeUntil(begin: () => Promise<void>, isOver: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  await begin();
  while (!(await isOver())) await sleep(200);
  return (performance.now() - started) / 1000;
}

const isThere = async (bucket: TestBucket) => (await bucket.list()).length > 0;
