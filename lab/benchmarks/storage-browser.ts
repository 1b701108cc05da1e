/**
 * Compares the first screen of the explorer with that of Amplify Storage Browser: what a browser loads for it, and the time to the first
 * rows of a folder. Both list the same bucket of the local store, in Chromium, with an empty cache and without a network limit.
 *
 * Storage Browser lists the bucket from the browser, and only over HTTPS. So its requests to the store are answered by this process, which
 * sends the same request to the local store, signed again.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { type Browser, chromium, type Page } from "@playwright/test";
import { build } from "esbuild";
import type { StackInfo } from "../../local/stack-info";
import { issueEmbedUrl, makeEmbedClient } from "../../tests/support/app/embed-client";
import { startTestStack, type TestStack } from "../../tests/support/app/stack";
import { makeBucket } from "../../tests/support/files/bucket";
import { writeObjects } from "../../tests/support/files/many-objects";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { installPeers } from "./peers";
import { type BenchmarkResult, inKilobytes, inSeconds, median, medianRow, type Row } from "./result";

const COUNTS = [1_000, 10_000];
const ROUNDS = 7;
/** the name that Storage Browser is given for the store */
const STORE_HOST = "store.example";
const here = fileURLToPath(new URL("storage-browser/", import.meta.url));

interface Measured {
  /**
   * From the first request to the first row, milliseconds. This includes the request for the explorer's URL, and that for Storage Browser's
   * credentials.
   */
  firstRow: number;
  /** bytes at gzip level 9 */
  scripts: number;
  /** scripts, styles and HTML, which holds the explorer's styles and first rows */
  all: number;
}
/** Opens a page and waits for its first row. */
type Open = (page: Page) => Promise<void>;

export async function run(): Promise<BenchmarkResult> {
  const peers = installPeers(here);
  const stack = await startTestStack();
  const opened: { close(): Promise<void> }[] = [stack];
  const rows: Row[] = [];
  const raw: BenchmarkResult["raw"] = {};
  try {
    const browser = await chromium.launch({ executablePath: findChromium(() => {}), args: ["--no-sandbox"] });
    opened.push(browser);
    const site = await startStorageBrowser(stack.info);
    opened.push(site);
    for (const count of COUNTS) {
      const bucket = await fill(stack, count);
      const explorer = await openExplorer(stack.info, bucket);
      const ways: [string, Open][] = [
        ["explorer", explorer],
        ["Storage Browser", (page) => site.open(page, bucket)],
      ];
      const found = new Map(ways.map(([name]) => [name, [] as Measured[]]));
      for (const [, open] of ways) await measure(browser, open);
      for (let round = 0; round < ROUNDS; round++)
        for (const [name, open] of ways) found.get(name)?.push(await measure(browser, open));
      const [ours = []] = found.values();
      const times = (measured: Measured[]) => measured.map(({ firstRow }) => firstRow);
      for (const [name, measured] of found) {
        const ratio = (median(times(measured)) / median(times(ours))).toFixed(1);
        rows.push(
          medianRow(
            `${name}, first row of ${count.toLocaleString("en")} files`,
            times(measured),
            inSeconds,
            measured === ours ? undefined : `${ratio} times the explorer's`,
          ),
        );
        raw[`${name}, first row of ${count}, ms`] = times(measured);
      }
      if (count !== COUNTS.at(-1)) continue;
      const [size] = ours;
      for (const [name, [own]] of found)
        for (const [kind, text] of [
          ["scripts", "scripts"],
          ["all", "scripts, styles and HTML"],
        ] as const) {
          const [bytes, oursBytes] = [own?.[kind] ?? Number.NaN, size?.[kind] ?? Number.NaN];
          rows.push({
            name: `${name}, ${text} of the first screen`,
            value: inKilobytes(bytes),
            compared: own === size ? undefined : `${(bytes / oursBytes).toFixed(1)} times the explorer's`,
          });
          raw[`${name}, ${text}, bytes`] = [bytes];
        }
    }
  } finally {
    for (const part of opened.reverse()) await part.close();
  }
  return {
    title: `The first screen in Chromium, ${ROUNDS} loads with an empty cache and without a network limit; sizes are of gzip level 9`,
    rows,
    raw,
    peers,
    notes: [
      "Storage Browser is bundled by esbuild, minified and split, with React. It lists the bucket itself; the explorer's server lists it for the browser. " +
        "The explorer is opened without an embedding page. So its sizes are without the tag, of at most 15 kB, that this page loads. " +
        "Storage Browser takes only HTTPS addresses for a store, so this process answers its requests from the local store, which takes a few milliseconds for each.",
    ],
  };
}

async function fill(stack: TestStack, count: number): Promise<string> {
  const bucket = await makeBucket(stack.info);
  const keys = Array.from({ length: count }, (_, index) => `report-${String(index).padStart(5, "0")}.txt`);
  writeObjects(stack.objectsFolder, bucket.name, keys);
  // The first listing makes the store read the bucket into memory.
  await bucket.list();
  return bucket.name;
}

async function openExplorer(stack: StackInfo, bucket: string): Promise<Open> {
  const client = await makeEmbedClient(stack, { bucket });
  const referer = `${stack.demoClient.origin}/`;
  return async (page) => {
    const { url } = await issueEmbedUrl(stack, client);
    await page.goto(url, { referer, waitUntil: "commit" });
  };
}

/** Serves the page of Storage Browser. */
async function startStorageBrowser(stack: StackInfo) {
  const { endpoint, region, accessKeyId, secretAccessKey } = stack.objectStore;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { outputFiles } = await build({
    entryPoints: [`${here}page.mjs`],
    outdir: here,
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(here.length - 1), contents]));
  let bucket = "";
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const file = files.get(path);
    if (path === "/settings") {
      // Amplify takes no credentials without a session token. The local store does not see this one.
      const temporary = { ...credentials, sessionToken: "none" };
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ bucket, region, customEndpoint: STORE_HOST, credentials: temporary }));
    } else if (file !== undefined) {
      response.setHeader("Content-Type", path.endsWith(".css") ? "text/css" : "text/javascript");
      response.end(file);
    } else {
      response.setHeader("Content-Type", "text/html");
      response.end(
        `<!doctype html><html lang="en"><title>Files</title><link rel="icon" href="data:," /><link rel="stylesheet" href="/page.css" /><main></main><script type="module" src="/page.js"></script></html>`,
      );
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;

  /** Lists the bucket as the request says. */
  async function list(query: URLSearchParams): Promise<string> {
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: query.get("prefix") ?? undefined,
      Delimiter: query.get("delimiter") ?? undefined,
      MaxKeys: query.has("max-keys") ? Number(query.get("max-keys")) : undefined,
      ContinuationToken: query.get("continuation-token") ?? undefined,
    });
    return (await fetch(await getSignedUrl(client, command))).text();
  }

  return {
    async open(page: Page, name: string): Promise<void> {
      bucket = name;
      await page.route(`https://${name}.${STORE_HOST}/**`, async (route) => {
        const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
        const body = await list(new URL(route.request().url()).searchParams);
        await route.fulfill({ headers, contentType: "application/xml", body });
      });
      await page.goto(origin, { waitUntil: "commit" });
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function measure(browser: Browser, open: Open): Promise<Measured> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const files: { isScript: boolean; size: Promise<number> }[] = [];
    page.on("response", (response) => {
      const type = response.request().resourceType();
      if (!["script", "stylesheet", "document"].includes(type)) return;
      const size = response.body().then((body) => gzipSync(body, { level: 9 }).length);
      files.push({ isScript: type === "script", size });
    });
    const started = performance.now();
    await open(page);
    await page.getByText("report-00000.txt").first().waitFor();
    const firstRow = performance.now() - started;
    await page.waitForLoadState("networkidle");
    const total = async (some: typeof files) =>
      (await Promise.all(some.map(({ size }) => size))).reduce((sum, size) => sum + size, 0);
    return {
      firstRow,
      scripts: await total(files.filter(({ isScript }) => isScript)),
      all: await total(files),
    };
  } finally {
    await context.close();
  }
}
