/**
 * Measures how soon the first rows appear on a slow network with an empty cache: from the request for the integrator's page to the
 * first paint of uncovered rows. Also measures when the explorer's scripts have hydrated. Prints the median of five loads in
 * Chromium with Lighthouse's "Slow 4G", applied over CDP. The processor is not throttled. Once as `npm start` serves, by HTTP/1.1, and once
 * behind nginx with HTTP/2, configured as in `docs/examples/nginx.conf`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type CDPSession, chromium, type Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { issueEmbedUrl, makeEmbedClient } from "../../tests/support/app/embed-client";
import { startTestStack } from "../../tests/support/app/stack";
import { makeBucket } from "../../tests/support/files/bucket";
import { IntegratorSite } from "../../tests/support/integrator/integrator-site";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { findFreePort } from "../../tests/support/machine/free-port";
import { makeCertificate } from "../../tests/support/network/certificate";
import { hasNginx, startNginx } from "../../tests/support/network/nginx";
import { type BenchmarkResult, inSeconds, medianRow } from "./result";

const LOADS = 5;
/**
 * The browser adds latency once per request. So, like Lighthouse, this multiplies the round trip of 150 ms by 3.75 and the
 * throughput by 0.9.
 */
const SLOW_4G = {
  offline: false,
  latency: 150 * 3.75,
  downloadThroughput: (1638.4 * 1024 * 0.9) / 8,
  uploadThroughput: (750 * 1024 * 0.9) / 8,
};

/** Milliseconds since the page was requested. */
interface Times {
  rows: number;
  ready: number;
}

export async function run(): Promise<BenchmarkResult> {
  const stack = await startTestStack();
  const proxied = hasNginx() ? await startBehindNginx(stack.info) : undefined;
  // Page and frame share one process, so that one CDP session throttles both.
  const args = [
    "--no-sandbox",
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process",
  ];
  const browser = await chromium.launch({ executablePath: findChromium(console.log), args });
  try {
    const direct = await measureAll(browser, stack.info, "HTTP/1.1");
    const behind = proxied && (await measureAll(browser, proxied.info, "HTTP/2 of nginx"));
    return {
      title: `From the request for the integrator's page, with an empty cache, ${LOADS} loads on Lighthouse's "Slow 4G" (150 ms, 1.6 Mbit/s; the processor is not throttled)`,
      rows: [...direct.rows, ...(behind?.rows ?? [])],
      raw: { ...direct.raw, ...behind?.raw },
      notes: behind ? [] : ["nginx is not installed, so HTTP/2 was not measured."],
    };
  } finally {
    await browser.close();
    await proxied?.close();
    await stack.close();
  }
}

/** Loads the page five times from one deployment. */
async function measureAll(
  browser: Browser,
  info: StackInfo,
  protocol: string,
): Promise<Pick<BenchmarkResult, "rows" | "raw">> {
  const site = await startSite(info);
  try {
    const loads: Times[] = [];
    for (let load = 0; load < LOADS; load++) loads.push(await measure(browser, site.origin));
    const [rows, ready] = [loads.map(({ rows }) => rows), loads.map(({ ready }) => ready)];
    return {
      rows: [
        medianRow(`first rows, ${protocol}`, rows, inSeconds),
        medianRow(`scripts took over, ${protocol}`, ready, inSeconds),
      ],
      raw: { [`first rows, ${protocol}, ms`]: rows, [`scripts took over, ${protocol}, ms`]: ready },
    };
  } finally {
    await site.close();
  }
}

/** Starts a second process of the app behind nginx. The platform's base URL has TLS and HTTP/2; the API, which no browser calls, has neither. */
async function startBehindNginx(stack: StackInfo): Promise<{ info: StackInfo; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const { keyFile, certificateFile } = await makeCertificate(folder, "/CN=localhost");
  const [port, securePort] = [await findFreePort(), await findFreePort()];
  const info: StackInfo = {
    ...stack,
    apiBaseUrl: `http://127.0.0.1:${port}`,
    platformBaseUrl: `https://localhost:${securePort}`,
  };
  const app = await startBuiltApp(stack, {
    API_BASE_URL: info.apiBaseUrl,
    PLATFORM_BASE_URL: info.platformBaseUrl,
    TRUST_PROXY: "true",
  });
  const secure = `listen 127.0.0.1:${securePort} ssl http2; ssl_certificate ${certificateFile}; ssl_certificate_key ${keyFile};`;
  const nginx = await startNginx("nginx.conf", port, (example) =>
    example
      .replace(/:300[123] /g, `:${new URL(app.ownUrl).port} `)
      .replace("listen 8080;", (plain) => `${plain} ${secure}`),
  );
  return {
    info,
    async close() {
      await nginx.stop();
      await app.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts a page with only the tag, and forty files to show. */
async function startSite(info: StackInfo): Promise<IntegratorSite> {
  const bucket = await makeBucket(info);
  for (let index = 0; index < 40; index++) await bucket.put(`Quarterly report ${index}.txt`, "x");
  class Site extends IntegratorSite {
    override issue = () => issueEmbedUrl(info, client);
  }
  const site = new Site();
  await site.start();
  await bucket.allowOrigins([info.platformBaseUrl, site.origin]);
  const client = await makeEmbedClient(info, { bucket: bucket.name, origins: [site.origin] });
  site.pages.set(
    "/",
    `<!doctype html><html lang="en"><title>Portal</title><link rel="icon" href="data:," />
    <style>body { margin: 0 } platform-embed { height: 100vh }</style>
    <script src="${info.platformBaseUrl}/platform-embed.js" defer></script>
    <platform-embed service="files" token-endpoint="/embed-url"></platform-embed></html>`,
  );
  return site;
}

async function measure(browser: Browser, origin: string): Promise<Times> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ignoreHTTPSErrors: true,
  });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await slowDown(session);
  await page.addInitScript(recordTimes);
  await page.goto(origin, { waitUntil: "commit" });
  const uncovered = (await whenTrue(page, "window.uncoveredAt")) as number;
  const ready = (await whenTrue(page, "window.readyAt")) as number;
  const [, frame] = page.frames();
  if (!frame) throw new Error("The page has no frame.");
  const painted = (await frame.evaluate(() => {
    const [first] = performance.getEntriesByName("first-contentful-paint");
    return performance.timeOrigin + (first?.startTime ?? Number.NaN);
  })) as number;
  const start = await page.evaluate(() => performance.timeOrigin);
  await context.close();
  return { rows: Math.max(uncovered, painted) - start, ready: ready - start };
}

async function slowDown(session: CDPSession): Promise<void> {
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", SLOW_4G);
}

async function whenTrue(page: Page, expression: string): Promise<unknown> {
  return (await page.waitForFunction(expression, undefined, { polling: 50, timeout: 60_000 })).jsonValue();
}

/** Runs in the page. Records when the element removes its overlay and when it is ready, on a clock that all documents share. */
const recordTimes = `
  const now = () => performance.timeOrigin + performance.now();
  document.addEventListener("platform-embed-ready", () => { window.readyAt = now(); });
  const look = () => {
    const root = document.querySelector("platform-embed")?.shadowRoot;
    const isUncovered = root?.querySelector("iframe") && !root.querySelector("[part=overlay] > *");
    if (isUncovered) window.uncoveredAt = now();
    else requestAnimationFrame(look);
  };
  if (window.parent === window) requestAnimationFrame(look);`;
