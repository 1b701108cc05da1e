import type { FrameLocator, Page } from "@playwright/test";
import {
  almostEmptyFiles,
  emptyFiles,
  type HostileFile,
  hostileCode,
  hostileDocuments,
  hostileDrawings,
  hostilePictures,
  hostileTexts,
  slowPhoto,
} from "../../support/files/hostile-files";
import { chooseOfVersion } from "../change-support";
import { expect, type OpenExplorer, test } from "../explorer-support";
import { bmp, pdf } from "../sample-files";

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

const withHistory = { actions: ["download", "upload", "organize", "delete", "history"] };

/** Opens the comparison of the two versions of `a.txt`, and watches the frame meanwhile. */
async function compareVersions({ frame, row }: OpenExplorer) {
  const longest = await startStopwatch(frame);
  await row("a.txt").click();
  await row("a.txt").press("Alt+Enter");
  const details = frame.getByRole("complementary", { name: "Details" });
  await details.getByText("Versions", { exact: true }).click();
  await chooseOfVersion(frame, details.getByRole("listitem").first(), "Compare with previous");
  return { dialog: frame.getByRole("dialog"), longest };
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

for (const file of [
  ...hostileDrawings,
  ...hostileTexts,
  ...hostileCode,
  ...hostilePictures,
  ...hostileDocuments,
])
  previewed(file);

test("each type of file says when there is nothing in it, or nothing that can be shown", async ({
  allowedConsole,
  integrator,
  openExplorer,
  page,
}) => {
  test.slow();
  // Browsers say on the console what they cannot decode.
  allowedConsole.push(/Failed to load resource|decode/);
  for (const name of emptyFiles) await integrator.bucket.put(name, Buffer.alloc(0));
  for (const name of almostEmptyFiles) await integrator.bucket.put(name, "\0");
  const { frame, names, row } = await openExplorer();
  const longest = await startStopwatch(frame);
  const dialog = frame.getByRole("dialog");
  const shown = await names();
  await row(shown[0] ?? "").dblclick();
  for (const name of shown) {
    await expect(dialog.getByRole("heading")).toHaveText(name);
    const says = name.startsWith("empty") ? "This file is empty." : /file|preview|text/;
    await expect(dialog.locator(".preview__note"), name).toContainText(says);
    await page.keyboard.press("ArrowRight");
  }
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => previewWorkers(page)).toEqual([]);
  expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
});

test("a folder of hostile files is shown as tiles, and those after them have their thumbnails", async ({
  allowedConsole,
  integrator,
  openExplorer,
  page,
}) => {
  test.slow();
  allowedConsole.push(/Failed to load resource|decode/);
  const files = [...hostilePictures, ...hostileDocuments, ...hostileDrawings];
  for (const { name, content } of files) await integrator.bucket.put(name, content);
  await integrator.bucket.put("z.bmp", bmp(64, 48), "image/bmp");
  await integrator.bucket.put("z.pdf", pdf(1), "application/pdf");
  const { frame } = await openExplorer();
  const longest = await startStopwatch(frame);
  await frame.getByRole("button", { name: "Tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  for (const name of ["z.bmp", "z.pdf"]) {
    await tile(name).scrollIntoViewIfNeeded();
    await expect(tile(name).locator("img")).toBeVisible({ timeout: 60_000 });
  }
  await expect.poll(() => previewWorkers(page), { timeout: 30_000 }).toEqual([]);
  expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
});

test("a photo that is closed while it is decoded leaves no worker", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { name, content } = slowPhoto;
  await integrator.bucket.put(name, content, "image/heic");
  const { frame, row } = await openExplorer();
  const started = page.waitForEvent("worker", (worker) => worker.url().includes("heic"));
  await row(name).dblclick();
  await started;
  await page.keyboard.press("Escape");
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await expect.poll(() => previewWorkers(page)).toEqual([]);
});

const numbered = (text: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${text} ${index}`).join("\n");

for (const { what, before, after, says } of [
  {
    what: "50,000 lines that all differ",
    before: numbered("before", 50_000),
    after: numbered("after", 50_000),
    says: "50,000 lines removed",
  },
  {
    what: "lines in reverse",
    before: numbered("", 50_000),
    after: numbered("", 50_000).split("\n").reverse().join("\n"),
    says: "differ too much",
  },
  {
    what: "the same long lines, but for one",
    before: `${"a ".repeat(2_400)}\n`.repeat(200),
    after: `${`${"a ".repeat(2_400)}\n`.repeat(199)}b\n`,
    says: "1 line removed",
  },
  {
    what: "one long line",
    before: "שלום ".repeat(110_000),
    after: "עולם ".repeat(110_000),
    says: "1 line removed",
  },
  {
    what: "lines of one letter",
    before: "a\nb\n".repeat(200_000),
    after: "b\na\n".repeat(200_000),
    says: "1 line removed",
  },
  {
    what: "marks on one letter",
    before: `a${"\u0301".repeat(400_000)}`,
    after: `b${"\u0301".repeat(400_000)}`,
    says: "1 line removed",
  },
])
  test(`a comparison of ${what} responds and can be closed`, async ({ integrator, openExplorer, page }) => {
    const { bucket } = integrator;
    await bucket.keepVersions();
    await bucket.put("a.txt", before, "text/plain");
    await bucket.put("a.txt", after, "text/plain");
    const { dialog, longest } = await compareVersions(await openExplorer({ scope: withHistory }));
    await expect(dialog.getByText(says).first()).toBeVisible({ timeout: 20_000 });
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect.poll(() => previewWorkers(page)).toEqual([]);
    expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
  });

test("a step to a change 40,000 lines away shows it and the lines around it", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["before", "after"])
    await bucket.put("a.txt", `${numbered(text, 40_000)}\nsame\n${text} the end`, "text/plain");
  const { dialog, longest } = await compareVersions(await openExplorer({ scope: withHistory }));
  await dialog.getByRole("button", { name: "Next change" }).click();
  await expect(dialog.getByText("Change 2 of 2")).toBeVisible();
  await expect(dialog.getByText("after the end")).toBeInViewport();
  expect(await dialog.locator("tr").count()).toBeLessThan(1_000);
  expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
  await dialog.getByRole("button", { name: "Previous change" }).click();
  await expect(dialog.getByText("before 0", { exact: true })).toBeInViewport();
});

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
