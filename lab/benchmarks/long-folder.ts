/**
 * Measures the explorer in a folder of 100,000 files: how long it takes to load all pages, and the longest time that the page does not
 * draw meanwhile, while a person scrolls, and when the order changes. The listings are generated here, so the store's time is left out.
 */
import { type Browser, chromium, type Frame, type Page, type Route } from "@playwright/test";
import { issueEmbedUrl, makeEmbedClient } from "../../tests/support/app/embed-client";
import { startTestStack } from "../../tests/support/app/stack";
import { makeBucket } from "../../tests/support/files/bucket";
import { IntegratorSite } from "../../tests/support/integrator/integrator-site";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { type BenchmarkResult, inSeconds, type Row } from "./result";

const FILES = 100_000;
const PAGE_SIZE = 1_000;

export async function run(): Promise<BenchmarkResult> {
  const stack = await startTestStack();
  const browser = await chromium.launch({
    executablePath: findChromium(console.log),
    args: ["--no-sandbox"],
  });
  const bucket = await makeBucket(stack.info);
  for (let index = 0; index < 110; index++) await bucket.put(nameOf(index), "x");
  class Site extends IntegratorSite {
    override issue = () => issueEmbedUrl(stack.info, client);
  }
  const site = new Site();
  await site.start();
  const client = await makeEmbedClient(stack.info, { bucket: bucket.name, origins: [site.origin] });
  try {
    const { url } = await site.issue();
    site.pages.set(
      "/",
      `<!doctype html><title>Files</title><style>iframe { width: 1200px; height: 800px }</style><iframe src="${url}"></iframe>`,
    );
    return await measure(browser, site.origin);
  } finally {
    await browser.close();
    await site.close();
    await stack.close();
  }
}

/** Keys in the order of the store, which is another one than that of the list. */
const nameOf = (index: number) => `Report ${(index * 7919) % FILES} of ${index}.txt`;

async function measure(browser: Browser, origin: string): Promise<BenchmarkResult> {
  const page = await browser.newPage();
  await page.addInitScript(recordFrames);
  await page.route("**/api/embed/storage/list", respond);
  await page.goto(origin);
  const frame = await explorerFrame(page);
  const load = await timed(frame, async () => {
    // The page that the server rendered has "Load all", disabled, in the button that becomes "Stop".
    await frame.getByRole("button", { name: "Stop" }).waitFor();
    // The explorer loads so many only when it is asked to.
    await frame.getByRole("button", { name: "Load all" }).click({ timeout: 300_000 });
    await frame.getByText("100,000 items").waitFor({ timeout: 300_000 });
  });
  const scroll = await timed(frame, () => frame.evaluate(scrollThrough));
  const sort = await timed(frame, async () => {
    await frame.getByRole("button", { name: "Size" }).click();
    await frame.locator('[aria-sort="descending"]').waitFor();
  });
  const row = (name: string, { took, longest }: Timing): Row => ({
    name,
    value: inSeconds(took),
    compared: `longest frame ${Math.round(longest)} ms`,
  });
  return {
    title: `A folder of ${FILES.toLocaleString("en")} files, without the store's time`,
    rows: [row("all loaded", load), row("scrolled through", scroll), row("sorted by size", sort)],
    raw: {
      "all loaded, and its longest frame, ms": [load.took, load.longest],
      "scrolled through, and its longest frame, ms": [scroll.took, scroll.longest],
      "sorted by size, and its longest frame, ms": [sort.took, sort.longest],
    },
  };
}

const scrollThrough = `(async () => {
  const list = document.querySelector(".list");
  for (let step = 0; step < 300; step++) {
    list.scrollTop = (list.scrollHeight / 300) * step;
    await new Promise(requestAnimationFrame);
  }
})()`;

async function respond(route: Route): Promise<void> {
  const { cursor } = route.request().postDataJSON() as { cursor?: string };
  const first = Number(cursor?.split("-")[1] ?? 0);
  const files = Array.from({ length: Math.min(PAGE_SIZE, FILES - first) }, (_, index) => {
    const name = nameOf(first + index);
    return {
      name,
      key: name,
      size: (first + index) % 5_000,
      lastModified: "2026-01-01T00:00:00.000Z",
      etag: "x",
    };
  });
  const next = first + PAGE_SIZE;
  await route.fulfill({ json: { folders: [], files, nextCursor: next < FILES ? `at-${next}` : null } });
}

async function explorerFrame(page: Page): Promise<Frame> {
  await page.frameLocator("iframe").locator('[data-row="0"]').waitFor();
  const [, frame] = page.frames();
  if (!frame) throw new Error("The page has no frame.");
  return frame;
}

/** Runs in every document. Records the longest time between two animation frames. */
const recordFrames = `
  window.longestFrame = 0;
  let last = performance.now();
  const look = (now) => {
    window.longestFrame = Math.max(window.longestFrame, now - last);
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

/** The duration, and the longest time between two animation frames, milliseconds. */
interface Timing {
  took: number;
  longest: number;
}

async function timed(frame: Frame, act: () => Promise<unknown>): Promise<Timing> {
  await frame.evaluate("window.longestFrame = 0");
  const since = performance.now();
  await act();
  const took = performance.now() - since;
  const longest = (await frame.evaluate("window.longestFrame")) as number;
  return { took, longest };
}
