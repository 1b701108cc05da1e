import type { FrameLocator, Page } from "@playwright/test";
import {
  type HostileFile,
  hostileDocuments,
  hostileDrawings,
  hostileTexts,
} from "../support/files/hostile-files";
import { expect, test } from "./explorer-support";
import { pdf } from "./sample-files";

/** How long the frame may not respond. Without bounds, these files take from ten seconds to for ever. */
const MAX_SILENCE_MS = 4_000;

/** Asks the frame for a turn all the time from now on. @returns the longest time until it got one, milliseconds */
async function startStopwatch(frame: FrameLocator): Promise<() => Promise<number>> {
  await frame.locator("html").evaluate(() => {
    const watch = window as unknown as { longest: number };
    watch.longest = 0;
    let last = performance.now();
    const look = () => {
      const now = performance.now();
      watch.longest = Math.max(watch.longest, now - last);
      last = now;
      setTimeout(look, 20);
    };
    look();
  });
  return () => frame.locator("html").evaluate(() => (window as unknown as { longest: number }).longest);
}

/** The workers that are left, but for those that the explorer has for uploads and downloads. */
const previewWorkers = (page: Page) =>
  page
    .workers()
    .map((worker) => new URL(worker.url()).pathname)
    .filter((path) => !/checksum|embed-downloads/.test(path));

function previewed({ name, content, shows }: HostileFile): void {
  test(`the preview of ${name} responds and can be closed`, async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put(name, content, "application/octet-stream");
    const { frame, row } = await openExplorer();
    const longest = await startStopwatch(frame);
    await row(name).dblclick();
    const dialog = frame.getByRole("dialog");
    await expect(dialog.getByText(shows).first()).toBeVisible({ timeout: 30_000 });
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect.poll(() => previewWorkers(page)).toEqual([]);
    expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
  });
}

for (const file of [...hostileDrawings, ...hostileTexts, ...hostileDocuments]) previewed(file);

test("a folder of hostile drawings is listed, and the harmless ones have their thumbnails", async ({
  integrator,
  openExplorer,
}) => {
  for (const { name, content } of hostileDrawings)
    await integrator.bucket.put(name, content, "image/svg+xml");
  const plain = `<svg xmlns="http://www.w3.org/2000/svg" width="-5" height="NaN"><rect width="9" height="9"/></svg>`;
  await integrator.bucket.put("plain.svg", plain, "image/svg+xml");
  const { frame, row } = await openExplorer();
  const longest = await startStopwatch(frame);
  await expect(row("plain.svg").locator("img")).toHaveJSProperty("naturalWidth", 320);
  for (const { name } of hostileDrawings) await expect(row(name).locator("svg.file-icon")).toBeVisible();
  await frame.getByRole("button", { name: "Tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  await expect(tile("plain.svg").locator("img")).toBeVisible();
  for (const { name } of hostileDrawings) await expect(tile(name).locator("svg.file-icon")).toBeVisible();
  expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
});

test("a PDF that is closed while it opens leaves no worker", async ({ integrator, openExplorer, page }) => {
  const file = hostileDocuments.find(({ name }) => name === "object-stream.pdf");
  await integrator.bucket.put("a.pdf", file?.content ?? "", "application/pdf");
  const { frame, row } = await openExplorer();
  const started = page.waitForEvent("worker", (worker) => worker.url().includes("pdf-streams"));
  await row("a.pdf").dblclick();
  await started;
  await page.keyboard.press("Escape");
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await expect.poll(() => previewWorkers(page)).toEqual([]);
});

test("of a long PDF, only pages near the visible ones are in the document", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("long.pdf", pdf(3_000), "application/pdf");
  const { frame, row } = await openExplorer();
  await row("long.pdf").dblclick();
  const page = (number: string) => frame.getByRole("group", { name: `Page ${number} of 3,000`, exact: true });
  await expect(page("1").locator("canvas")).toBeVisible();
  expect(await frame.locator(".preview__page").count()).toBeLessThan(200);
  await frame.getByRole("document", { name: "long.pdf" }).press("End");
  await expect(page("3,000").locator("canvas")).toBeVisible();
  await expect(page("1")).toHaveCount(0);
});

test("a text is copied as it is, also across the blocks in which it is laid out", async ({
  integrator,
  openExplorer,
}) => {
  const text = Array.from({ length: 350 }, (_, index) => (index % 7 === 0 ? "" : `line ${index}`)).join("\n");
  await integrator.bucket.put("a.txt", `${text}\nend`, "text/plain");
  const { frame, row } = await openExplorer();
  await row("a.txt").dblclick();
  const shown = frame.locator(".preview pre");
  await expect(shown).toContainText("line 1");
  expect(await shown.textContent()).toBe(`${text}\nend`);
  const copied = await shown.evaluate((element) => {
    getSelection()?.selectAllChildren(element);
    return getSelection()?.toString();
  });
  expect(copied).toBe(`${text}\nend`);
});
