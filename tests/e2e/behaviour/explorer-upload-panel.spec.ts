/** In one file, because every test looks at the same panel, brought into another state by what is above them. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { FrameLocator } from "@playwright/test";
import { languages } from "../../../app/locales/languages.server";
import { expect, slowDown, test, thirtyFiles } from "../explorer-support";
import {
  button,
  choose,
  chooseAndUnfold,
  failUploads,
  files,
  line,
  PRESIGN,
  title,
  uploads,
  violations,
} from "../upload-support";

/** Keeps what a screen reader was told of, oldest first. */
async function listen(frame: FrameLocator): Promise<() => Promise<string[]>> {
  await frame.locator("body").evaluate(() => {
    const status = document.querySelector("[role=status]");
    const told: string[] = [];
    Object.assign(window, { told });
    if (!status) throw new Error("There is no status.");
    new MutationObserver(() => told.push(status.textContent ?? "")).observe(status, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  return () => frame.locator("body").evaluate(() => (window as unknown as { told: string[] }).told);
}

test("an upload can be paused and resumed with the keyboard", async ({ integrator, openExplorer, page }) => {
  const { frame, row } = await openExplorer();
  await slowDown(page, 400_000);
  await chooseAndUnfold(frame, files(3_000_000, "film.mp4"));
  await expect(line(frame, "film.mp4")).toContainText(/\d\.\d of 3 MB/);
  await button(frame, "Pause upload of film.mp4").focus();
  await page.keyboard.press("Enter");
  await expect(line(frame, "film.mp4")).toContainText(/Paused at \d\.\d of 3 MB/);
  await expect(title(frame, "1 upload paused")).toBeVisible();
  await expect(button(frame, "Resume upload of film.mp4"), "in the other's place").toBeFocused();
  await slowDown(page, -1);
  await page.keyboard.press("Enter");
  await expect(row("film.mp4")).toBeVisible();
  expect((await integrator.bucket.get("film.mp4"))?.length).toBe(3_000_000);
});

test("rows do not move while the pointer is over them", async ({ openExplorer, page }) => {
  const { frame } = await openExplorer();
  await slowDown(page, 200_000);
  await chooseAndUnfold(frame, files(1_000_000, "a.mp4", "b.mp4"));
  const names = () => uploads(frame).locator(".upload").allTextContents();
  await expect.poll(async () => (await names()).length).toBe(2);
  const meanwhile = await line(frame, "a.mp4").evaluate(async (ended) => {
    const list = ended.closest("ul") as HTMLElement;
    const move = () => list.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
    move();
    ended.querySelector<HTMLButtonElement>("[aria-label^=Cancel]")?.click();
    while (!list.textContent?.includes("Cancelled")) {
      await new Promise(requestAnimationFrame);
      move();
    }
    return list.firstElementChild?.textContent;
  });
  expect(meanwhile, "what has ended is not below the others yet").toMatch(/^a\.mp4/);
  await expect.poll(async () => (await names())[0], "once the pointer rests").toContain("b.mp4");
});

test("all uploads can be paused and resumed", async ({ integrator, openExplorer, page }) => {
  const { frame } = await openExplorer();
  await slowDown(page, 200_000);
  await chooseAndUnfold(frame, files(1_000_000, "a.mp4", "b.mp4", "c.mp4", "d.mp4"));
  await expect(title(frame, "Uploading 0 of 4 files")).toBeVisible();
  await button(frame, "Pause all").click();
  await expect(title(frame, "4 uploads paused")).toBeVisible();
  await expect(button(frame, "Resume all")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual([]);
  await slowDown(page, -1);
  await button(frame, "Resume all").click();
  await expect(title(frame, "4 uploads finished")).toBeVisible();
  expect(await integrator.bucket.list()).toHaveLength(4);
});

test("all uploads can be cancelled without a question, and restarted", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { frame } = await openExplorer();
  await slowDown(page, 200_000);
  await chooseAndUnfold(frame, files(1_000_000, "a.mp4", "b.mp4", "c.mp4"));
  await expect(title(frame, "Uploading 0 of 3 files")).toBeVisible();
  await button(frame, "Cancel all").click();
  await expect(title(frame, "3 uploads cancelled")).toBeVisible();
  expect(await integrator.bucket.list()).toEqual([]);
  await slowDown(page, -1);
  await button(frame, "Retry all").click();
  await expect(title(frame, "3 uploads finished")).toBeVisible();
  expect(await integrator.bucket.list()).toHaveLength(3);
});

test.describe("in a folder of thirty files", () => {
  test.use({ initialObjects: thirtyFiles });

  test("the open list covers no row for good, and cuts no title on a phone, in any language", async ({
    openExplorer,
    page,
  }) => {
    const { frame, row, say } = await openExplorer();
    await choose(frame, files(10, "file 00.txt", "file 01.txt"));
    await expect(title(frame, "2 uploads need attention")).toBeVisible();
    await row("file 03.txt").focus();
    await page.keyboard.press("End");
    await expect(row("file 29.txt")).toBeFocused();
    const [last, list] = await Promise.all([
      row("file 29.txt").boundingBox(),
      frame.locator(".tray__body").boundingBox(),
    ]);
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(list?.y ?? 0);

    await page.setViewportSize({ width: 360, height: 640 });
    for (const locale of Object.keys(languages)) {
      await say({ type: "platform.embed.configure", locale });
      await expect(frame.locator("html")).toHaveAttribute("lang", locale);
      const isCut = (element: Element) => element.scrollWidth > element.clientWidth;
      expect(await frame.locator(".tray__title").evaluate(isCut), locale).toBe(false);
    }
  });
});

test.describe("when uploads fail,", () => {
  test.use({ allowedConsole: [/Failed to load resource: .*status of 500/] });

  test("all can be retried at once, and screen readers hear two sentences", async ({
    openExplorer,
    page,
  }) => {
    const { frame } = await openExplorer();
    const told = await listen(frame);
    await failUploads(page);
    await chooseAndUnfold(frame, files(10, "a.mp4", "b.mp4", "c.mp4", "d.mp4"));
    await expect(title(frame, "4 uploads need attention")).toBeVisible();
    await expect(line(frame, "a.mp4")).toContainText("The upload failed.");
    await expect.poll(told).toEqual(["4 uploads need attention"]);
    await button(frame, "Remove d.mp4 from the list").click();
    await expect(title(frame, "3 uploads need attention")).toBeVisible();
    await page.unroute(PRESIGN);
    await button(frame, "Retry all").click();
    await expect(title(frame, "3 uploads finished")).toBeVisible();
    await expect.poll(told).toEqual(["4 uploads need attention", "3 files uploaded"]);
  });

  test("the focus moves to the next row, and to the list when the panel is gone", async ({
    openExplorer,
    page,
  }) => {
    const { frame } = await openExplorer();
    await failUploads(page);
    await chooseAndUnfold(frame, files(10, "a.mp4", "b.mp4"));
    await button(frame, "Remove a.mp4 from the list").focus();
    await page.keyboard.press("Enter");
    await expect(line(frame, "a.mp4")).toHaveCount(0);
    await expect(button(frame, "Retry upload of b.mp4")).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(uploads(frame)).toHaveCount(0);
    await expect(frame.getByRole("main")).toBeFocused();
  });
});

test("the tray closes 8 seconds after the last upload, unless the pointer or the focus is in it", async ({
  openExplorer,
  page,
}) => {
  await page.clock.install();
  const { frame } = await openExplorer();
  await choose(frame, files(10, "a.mp4"));
  await expect(title(frame, "1 upload finished")).toBeVisible();
  await button(frame, "Show uploads").focus();
  await page.clock.runFor(30_000);
  await expect(uploads(frame)).toBeVisible();
  await frame.getByRole("button", { name: "Refresh" }).focus();
  await page.clock.runFor(7_000);
  await expect(uploads(frame)).toBeVisible();
  await page.clock.runFor(2_000);
  await expect(uploads(frame)).toHaveCount(0);
});

test.describe("without a network,", () => {
  test.use({ allowedConsole: [/net::ERR_INTERNET_DISCONNECTED/] });

  test("the panel says that uploads will continue by themselves, and they do", async ({
    context,
    integrator,
    openExplorer,
    page,
    stack,
  }) => {
    const { frame, row } = await openExplorer();
    const store = `${stack.objectStore.endpoint}/**`;
    // What is under way continues in a browser that only says that it is offline.
    let cut = () => {};
    const isCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    await page.route(store, async (route) => {
      await isCut;
      await route.abort("internetdisconnected");
    });
    const putting = page.waitForRequest((request) => request.method() === "PUT");
    await chooseAndUnfold(frame, files(3_000_000, "film.mp4"));
    await putting;
    await context.setOffline(true);
    cut();
    await expect(line(frame, "film.mp4")).toContainText("It continues by itself when you are back online.");
    expect(await violations(page), "offline").toEqual([]);
    await button(frame, "Show less").press("Enter");
    await expect(uploads(frame), "in its one line, too").toContainText("You are offline");
    await page.unroute(store);
    await context.setOffline(false);
    await expect(row("film.mp4")).toBeVisible();
    expect((await integrator.bucket.get("film.mp4"))?.length).toBe(3_000_000);
  });
});

test("a file that changed on disk during the upload is reported", async ({
  openExplorer,
  page,
}, testInfo) => {
  const path = testInfo.outputPath("film.mp4");
  writeFileSync(path, randomBytes(20_000_000));
  const { frame } = await openExplorer();
  await slowDown(page, 1_000_000);
  await chooseAndUnfold(frame, path);
  await expect(line(frame, "film.mp4")).toContainText(/\d\.\d of 20 MB/);
  await button(frame, "Pause upload of film.mp4").click();
  writeFileSync(path, randomBytes(20_000_001));
  await button(frame, "Resume upload of film.mp4").click();
  await expect(line(frame, "film.mp4")).toContainText("The file was changed, moved or deleted");
});
