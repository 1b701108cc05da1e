/**
 * Measures what a browser loads for the embed page until the network is idle. Sizes are those of gzip level 9, independent of how a server
 * compresses. Aim: at most 110 kB of JavaScript. Needs Playwright's Chromium or `CHROMIUM_PATH`.
 */
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { issueEmbedUrl, makeEmbedClient } from "../../tests/support/app/embed-client";
import { startTestStack } from "../../tests/support/app/stack";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { type BenchmarkResult, inKilobytes, type Row } from "./result";

/** What the preview loads with the first file that needs it: one worker each. */
const viewers = ["document", "sheet", "heic", "markdown", "highlight", "encoding", "archive"];

export async function run(): Promise<BenchmarkResult> {
  const stack = await startTestStack();
  try {
    const client = await makeEmbedClient(stack.info);
    const { url } = await issueEmbedUrl(stack.info, client);
    const referer = `${stack.info.demoClient.origin}/`;
    const html = await (await fetch(url, { headers: { Referer: referer } })).text();
    const { paths, transferred } = await load(url, referer);
    const sizeOf = async (path: string) => {
      const response = await fetch(stack.info.platformBaseUrl + path);
      if (!response.ok) throw new Error(`${path} responded with ${response.status}`);
      return gzipSync(Buffer.from(await response.arrayBuffer()), { level: 9 }).length;
    };
    const raw: BenchmarkResult["raw"] = {};
    const rows: Row[] = [];
    const add = (name: string, bytes: number, compared?: string) => {
      raw[`${name}, bytes`] = [bytes];
      rows.push({ name, value: inKilobytes(bytes), compared });
    };
    const addAll = async (name: string, paths: Set<string>, compared = "") => {
      const sizes = await Promise.all([...paths].map(sizeOf));
      const sum = sizes.reduce((total, size) => total + size, 0);
      add(name, sum, `in ${paths.size} files${compared}`);
    };
    const scripts = new Set([...paths].filter((path) => path.endsWith(".js")));
    const styles = new Set([...paths].filter((path) => path.endsWith(".css")));
    const named = new Set(html.match(/\/build\/[\w./$-]+\.js/g));
    await addAll("JavaScript", scripts, `; ${inKilobytes(transferred)} as our server compresses it`);
    // This was the figure until November 2026. It includes scripts of other routes that the page names but does not load.
    await addAll("JavaScript that the page names", named);
    await addAll("styles", styles);
    add("HTML", gzipSync(html).length);
    const handIn = await issueEmbedUrl(stack.info, client, { service: "files", scope: { view: "hand-in" } });
    const handInPage = await load(handIn.url, referer);
    const itsScripts = new Set([...handInPage.paths].filter((path) => path.endsWith(".js")));
    await addAll("JavaScript to hand files in", itsScripts, ", instead of the explorer");
    for (const viewer of viewers)
      add(viewer, await sizeOf(`/embed-workers/${viewer}.js`), "with the first file that needs it");
    add("element", await sizeOf("/platform-embed.js"), "loaded by the embedding page");
    return { title: "What a browser loads for the explorer, gzip level 9", rows, raw };
  } finally {
    await stack.close();
  }
}

/** Returns the paths of the files that a browser loads for `url`, and the transferred bytes of its scripts. */
async function load(url: string, referer: string): Promise<{ paths: Set<string>; transferred: number }> {
  const browser = await chromium.launch({ executablePath: findChromium(console.log) });
  try {
    const page = await browser.newPage();
    const paths = new Set<string>();
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== new URL(url).origin) return;
      paths.add(pathname);
      if (pathname.endsWith(".js"))
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(url, { referer, waitUntil: "networkidle" });
    const transferred = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    return { paths, transferred };
  } finally {
    await browser.close();
  }
}
