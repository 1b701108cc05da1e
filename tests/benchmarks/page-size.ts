/**
 * Measures what a browser loads for the embed page until the network is idle. Sizes are those of gzip level 9, independent of how a server
 * compresses. Aim: at most 110 kB of JavaScript. Needs Playwright's Chromium or `CHROMIUM_PATH`.
 */
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { startTestStack } from "../support/app/stack";
import { findChromium } from "../support/machine/find-chromium";

/** What the preview loads with the first file that needs it: one worker each. */
const viewers = ["document", "sheet", "heic", "markdown", "highlight"];

export async function run(): Promise<void> {
  const stack = await startTestStack();
  try {
    const client = await makeEmbedClient(stack.info);
    const { url } = await issueEmbedUrl(stack.info, client);
    const referer = `${stack.info.demoClient.origin}/`;
    const html = await (await fetch(url, { headers: { Referer: referer } })).text();
    const { paths, transferred } = await load(url, referer);
    const sizeOf = async (path: string) => {
      const answer = await fetch(stack.info.platformBaseUrl + path);
      if (!answer.ok) throw new Error(`${path} responded with ${answer.status}`);
      return gzipSync(Buffer.from(await answer.arrayBuffer()), { level: 9 }).length;
    };
    const total = async (paths: Set<string>) => {
      const sizes = await Promise.all([...paths].map(sizeOf));
      return `${kilobytes(sizes.reduce((sum, size) => sum + size, 0))} in ${paths.size} files`;
    };
    const scripts = new Set([...paths].filter((path) => path.endsWith(".js")));
    const styles = new Set([...paths].filter((path) => path.endsWith(".css")));
    const named = new Set(html.match(/\/build\/[\w./$-]+\.js/g));
    console.log(`JavaScript ${await total(scripts)}; ${kilobytes(transferred)} as our server compresses it`);
    // This was the figure until November 2026. It includes scripts of other routes that the page names but does not load.
    console.log(`  of ${await total(named)} that the page names`);
    console.log(`styles     ${await total(styles)}`);
    console.log(`HTML       ${kilobytes(gzipSync(html).length)}`);
    const handIn = await issueEmbedUrl(stack.info, client, { service: "files", scope: { view: "drop" } });
    const handInPage = await load(handIn.url, referer);
    const itsScripts = new Set([...handInPage.paths].filter((path) => path.endsWith(".js")));
    console.log(`hand-in    ${await total(itsScripts)}: the page to hand files in, instead of the explorer`);
    for (const viewer of viewers)
      console.log(
        `${viewer.padEnd(10)} ${kilobytes(await sizeOf(`/embed-workers/${viewer}.js`))}, with the first file that needs it`,
      );
    console.log(`element    ${kilobytes(await sizeOf("/platform-embed.js"))}, loaded by the embedding page`);
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

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
