import type { Page } from "@playwright/test";
import { expect, test } from "../explorer-support";
import { pdf } from "../sample-files";
import { choose, files } from "../upload-support";

test.use({ allowedConsole: [/Failed to load resource/] });

const scripts = "**/build/**/*.js";

/** Fails every script that the page has not loaded yet. */
const cutOff = (page: Page) => page.route(scripts, (route) => route.abort());

// Chromium 150 remembers a failed import until the page is reloaded. That the retry uses another URL shows that it works there, too.
const untilRetried = (page: Page) => page.waitForRequest(/\.js\?retry=\d+$/);

test("when the code of the preview fails to load, Try again opens the preview", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "content of a");
  const { frame, row } = await openExplorer();
  await cutOff(page);
  await row("a.txt").focus();
  await page.keyboard.press("Enter");
  await expect(frame.getByText("This could not be loaded: check your connection.")).toBeVisible();
  await page.unroute(scripts);
  const retried = untilRetried(page);
  await frame.getByRole("button", { name: "Try again" }).click();
  await retried;
  await expect(frame.getByText("content of a")).toBeVisible();
});

test("what could not be loaded appears as soon as something else has loaded its code", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "content of a");
  await integrator.bucket.put("b.txt", "content of b");
  const { frame, row } = await openExplorer();
  await cutOff(page);
  await row("a.txt").focus();
  await page.keyboard.press("Enter");
  await expect(frame.getByText("This could not be loaded: check your connection.")).toBeVisible();
  await page.unroute(scripts);
  // A row that gets the focus loads the code of its menu, which is the same.
  await row("b.txt").focus();
  await expect(frame.getByText("content of a")).toBeVisible();
});

test("when the code of the first change fails to load, Try again carries the change out", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: { actions: ["delete"] } });
  await row("a.txt").click({ button: "right" });
  // The panel of changes has loaded. What carries them out has not.
  await expect(frame.getByRole("menuitem", { name: "Delete" })).toBeVisible();
  await cutOff(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Delete");
  const changes = frame.getByRole("region", { name: "Changes" });
  await expect(changes).toContainText("The connection was interrupted: try again in a moment.");
  await page.unroute(scripts);
  const retried = untilRetried(page);
  await changes.getByRole("button", { name: "Try again" }).click();
  await retried;
  await expect(row("a.txt")).toHaveCount(0);
  await expect(changes).toHaveCount(0);
  expect(await integrator.bucket.list()).toEqual([]);
});

test("what was asked for without a connection is done when there is one", async ({
  context,
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: { actions: ["delete"] } });
  await cutOff(page);
  await context.setOffline(true);
  await row("a.txt").click();
  await page.keyboard.press("Delete");
  await expect(frame.getByText("This could not be loaded: check your connection.")).toBeVisible();
  await page.unroute(scripts);
  await context.setOffline(false);
  await expect(row("a.txt")).toHaveCount(0);
  expect(await integrator.bucket.list()).toEqual([]);
});

test("what was asked for without a connection is forgotten when its notice is dismissed", async ({
  context,
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("a.txt", "x");
  await integrator.bucket.put("b.txt", "x");
  const { frame, row } = await openExplorer({ scope: { actions: ["delete"] } });
  await cutOff(page);
  await context.setOffline(true);
  await row("a.txt").click();
  await page.keyboard.press("Delete");
  const notice = frame.getByText("This could not be loaded: check your connection.");
  await expect(notice).toBeVisible();
  await frame.getByRole("button", { name: "Dismiss" }).click();
  await expect(notice).toHaveCount(0);
  await page.unroute(scripts);
  await context.setOffline(false);
  await row("b.txt").click();
  await page.keyboard.press("Delete");
  await expect(row("b.txt")).toHaveCount(0);
  await expect(row("a.txt")).toBeVisible();
  expect(await integrator.bucket.list()).toEqual(["a.txt"]);
});

test("when trying again does not help, Reload leads back to the same folder", async ({
  integrator,
  page,
}) => {
  await integrator.bucket.put("docs/a.txt", "content of a");
  await page.goto(integrator.origin);
  const embed = page.locator("platform-embed");
  const frame = page.frameLocator("platform-embed iframe");
  const row = (name: string) => frame.getByRole("row", { name, exact: true });
  await expect(embed).toHaveJSProperty("state", "ready");
  // The code of all panels is loaded when a row is focused.
  await cutOff(page);
  await row("docs").focus();
  await page.keyboard.press("Enter");
  await expect(row("a.txt")).toBeFocused();
  await page.keyboard.press("Enter");
  const reload = frame.getByRole("button", { name: "Reload" });
  await expect(frame.getByText("This could not be loaded: check your connection.")).toBeVisible();
  await expect(reload).toHaveCount(0);
  await frame.getByRole("button", { name: "Try again" }).click();
  await expect(reload).toBeVisible();
  await page.unroute(scripts);
  await reload.click();
  // The frame is replaced by one with another token.
  await expect(reload).toHaveCount(0);
  await row("a.txt").focus();
  await page.keyboard.press("Enter");
  await expect(frame.getByText("content of a")).toBeVisible();
});

test("files chosen without a connection are uploaded when there is one", async ({
  context,
  openExplorer,
  page,
}) => {
  const { frame, row } = await openExplorer();
  await cutOff(page);
  await context.setOffline(true);
  await choose(frame, files(1_000, "film.mp4"));
  await expect(frame.getByText("This could not be loaded: check your connection.")).toBeVisible();
  await choose(frame, files(1_000, "second film.mp4"));
  await page.unroute(scripts);
  const retried = untilRetried(page);
  await context.setOffline(false);
  await retried;
  await expect(row("film.mp4")).toBeVisible();
  await expect(row("second film.mp4")).toBeVisible();
});

test("when the code of archives fails to load, the next download loads it", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("docs/a.txt", "a");
  await integrator.bucket.put("b.txt", "b");
  const { frame, row } = await openExplorer();
  await row("docs").getByRole("checkbox").check();
  await row("b.txt").getByRole("checkbox").check();
  await cutOff(page);
  const download = frame.getByRole("button", { name: "Download", exact: true });
  await download.click();
  await expect(frame.getByRole("alert")).toBeVisible();
  await page.unroute(scripts);
  const retried = untilRetried(page);
  const saved = page.waitForEvent("download");
  await download.click();
  await retried;
  expect((await saved).suggestedFilename()).toMatch(/\.zip$/);
});

const pdfLibrary = "**/pdfjs/**/pdf.min.mjs*";

for (const { part, script, retriedAs } of [
  // A worker is requested again under its own URL: no browser remembers its failure.
  { part: "PDF.js", script: pdfLibrary, retriedAs: /pdf\.min\.mjs\?retry=\d+$/ },
  {
    part: "the worker of PDF.js",
    script: "**/pdfjs/**/worker.mjs",
    retriedAs: /pdfjs\/[^/]+\/worker\.mjs$/,
  },
])
  test(`when ${part} fails to load, Try again shows the PDF`, async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("report.pdf", pdf(1), "application/pdf");
    const { frame, row } = await openExplorer();
    await page.route(script, (route) => route.abort());
    await row("report.pdf").focus();
    await page.keyboard.press("Enter");
    const retry = frame.getByRole("button", { name: "Try again" });
    await expect(retry).toBeVisible();
    await page.unroute(script);
    const retried = page.waitForRequest(retriedAs);
    await retry.click();
    await retried;
    await expect(frame.locator(".preview__page canvas")).toBeVisible();
  });

test("when PDF.js fails to load twice, Reload is offered", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("report.pdf", pdf(1), "application/pdf");
  const { frame, row } = await openExplorer();
  await page.route(pdfLibrary, (route) => route.abort());
  await row("report.pdf").focus();
  await page.keyboard.press("Enter");
  const retry = frame.getByRole("button", { name: "Try again" });
  const reload = frame.getByRole("button", { name: "Reload" });
  await expect(retry).toBeVisible();
  await expect(reload).toHaveCount(0);
  await retry.click();
  await expect(reload).toBeVisible();
  await expect(retry).toBeVisible();
});

test("when the code of colours fails to load, the next message loads it", async ({ openExplorer, page }) => {
  const { frame, say } = await openExplorer();
  await cutOff(page);
  const failed = page.waitForEvent("requestfailed");
  await say({ type: "platform.embed.configure", appearance: { accent: "rgb(15, 118, 110)" } });
  await failed;
  await page.unroute(scripts);
  const retried = untilRetried(page);
  await say({ type: "platform.embed.configure", appearance: { accent: "rgb(15, 118, 111)" } });
  await retried;
  await expect(frame.locator(".button--primary").first()).toHaveCSS("background-color", "rgb(15, 118, 111)");
});
