/** Previews of files that are made to fill the memory give it back when they are closed, and take no more than a page can have. */
import {
  hostileCode,
  hostileDocuments,
  hostileDrawings,
  hostilePictures,
  hostileTexts,
} from "../../support/files/hostile-files";
import { canMeasureMemory, memoryOf } from "../../support/machine/process-memory";
import { expect, test } from "../explorer-support";

const MB = 1_000_000;
/** What the whole browser takes in addition while a preview is open. */
const MAX_TAKEN_BYTES = 900 * MB;
/** What is left after closing it: the code that was loaded, and what the browser keeps until it collects its garbage. */
const MAX_KEPT_BYTES = 300 * MB;

test.skip(!canMeasureMemory, "The memory of processes is read from /proc.");

for (const { name, content, shows } of [
  ...hostilePictures,
  // Its pages are drawn only as they come near.
  ...hostileDocuments.filter(({ name }) => name !== "pages.pdf"),
  ...hostileDrawings,
  ...hostileTexts,
  ...hostileCode,
])
  test(`the preview of ${name} gives its memory back`, async ({
    browser,
    integrator,
    openExplorer,
    page,
  }) => {
    test.slow();
    await integrator.bucket.put(name, content, "application/octet-stream");
    const { frame, row } = await openExplorer();
    await expect(row(name)).toBeVisible();
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const browserId = processInfo.find(({ type }) => type === "browser")?.id ?? 0;
    const before = memoryOf(browserId);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, memoryOf(browserId));
    }, 200);
    await row(name).dblclick();
    const dialog = frame.getByRole("dialog");
    await expect(dialog.getByText(shows).first()).toBeVisible({ timeout: 60_000 });
    await expect(dialog.locator(".preview__page--waiting")).toHaveCount(0, { timeout: 60_000 });
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    clearInterval(watch);
    expect(most - before).toBeLessThan(MAX_TAKEN_BYTES);
    await expect
      .poll(() => memoryOf(browserId) - before, { timeout: 5_000, intervals: [500] })
      .toBeLessThan(MAX_KEPT_BYTES);
  });
