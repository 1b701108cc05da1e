import { join } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import { expect, test, unfold } from "../explorer-support";
import { makeFolder } from "../upload-support";

/** Drops files and folders of the disk on the explorer, as the browser does it. */
async function drop(page: Page, paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x: width / 2, y: height / 2, data });
  }
}

const uploads = (frame: FrameLocator) => frame.getByRole("region", { name: "Uploads" });
const folderInput = (frame: FrameLocator) => frame.locator("input[webkitdirectory]").first();

const trip = {
  "trip/a.txt": "a",
  "trip/day 1/b.txt": "b",
  "trip/day 1/night/c.txt": "c",
  "trip/day 2/.DS_Store": "of the Finder",
  "trip/empty": null,
  "trip/Thumbs.db": "of the Explorer",
};

test("a dropped folder keeps its structure, including empty folders", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  const root = makeFolder(testInfo.outputPath("disk"), { ...trip, "beside.txt": "beside" });
  const { frame, row } = await openExplorer();
  await drop(page, [join(root, "trip"), join(root, "beside.txt")]);
  await expect(frame.getByRole("heading", { name: "6 uploads finished" })).toBeVisible();
  await expect(row("trip")).toBeVisible();
  expect((await integrator.bucket.list()).sort()).toEqual([
    "beside.txt",
    "trip/a.txt",
    "trip/day 1/b.txt",
    "trip/day 1/night/c.txt",
    "trip/day 2/",
    "trip/empty/",
  ]);
  expect(String(await integrator.bucket.get("trip/day 1/night/c.txt"))).toBe("c");
});

test("a folder chosen by the button keeps its structure, without system files", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  const root = makeFolder(testInfo.outputPath("disk"), trip);
  // Before there is a frame: a browser that hears of it later may already have opened a dialog of its own.
  const chosen = page.waitForEvent("filechooser");
  const { frame } = await openExplorer();
  const button = frame.getByRole("button", { name: "Upload folder" }).first();
  await button.focus();
  await page.keyboard.press("Enter");
  await (await chosen).setFiles(join(root, "trip"));
  await expect(frame.getByRole("heading", { name: "3 uploads finished" })).toBeVisible();
  expect((await integrator.bucket.list()).sort()).toEqual([
    "trip/a.txt",
    "trip/day 1/b.txt",
    "trip/day 1/night/c.txt",
  ]);
});

test("a chosen folder without files says so", async ({ openExplorer }, testInfo) => {
  const root = makeFolder(testInfo.outputPath("disk"), { "trip/.DS_Store": "of the Finder" });
  const { frame } = await openExplorer();
  await folderInput(frame).setInputFiles(join(root, "trip"));
  await expect(frame.getByRole("alert")).toContainText("There are no files to upload in that folder.");
  await expect(uploads(frame)).toHaveCount(0);
  await frame.getByRole("button", { name: "Dismiss" }).click();
  await expect(frame.getByRole("alert")).toHaveCount(0);
});

test.describe("on a phone", () => {
  test.use({ isMobile: true, hasTouch: true, viewport: { width: 360, height: 640 } });

  test("there is no folder button, and the file button can offer the camera", async ({ openExplorer }) => {
    const { frame } = await openExplorer();
    await expect(frame.getByRole("button", { name: "Upload", exact: true }).first()).toBeVisible();
    await expect(frame.getByRole("button", { name: "Upload folder" })).toHaveCount(0);
    const input = frame.locator("input[type=file]").first();
    await expect(input).toHaveAttribute("multiple");
    await expect(input).not.toHaveAttribute("accept");
    await expect(input).not.toHaveAttribute("capture");
  });
});

test("ten thousand dropped files render a page of rows and show the total", async ({
  openExplorer,
  page,
  stack,
}, testInfo) => {
  test.setTimeout(180_000);
  const names = Array.from({ length: 10_000 }, (_, index) => [`many/${index}.txt`, `${index}`]);
  const root = makeFolder(testInfo.outputPath("disk"), Object.fromEntries(names));
  // None of them arrives.
  await page.route(`${stack.objectStore.endpoint}/**`, (route) =>
    route.request().method() === "PUT" ? undefined : route.continue(),
  );
  const { frame } = await openExplorer();
  await drop(page, [join(root, "many")]);
  await expect(frame.getByRole("heading", { name: "Uploading 0 of 10,000 files" })).toBeVisible({
    timeout: 120_000,
  });
  await unfold(frame, "Uploads");
  const rows = uploads(frame).getByRole("listitem");
  expect(await rows.count()).toBeLessThanOrEqual(20);
  expect(await frame.locator("*").count(), "elements in the whole frame").toBeLessThan(900);
  await expect(uploads(frame)).toContainText("9,990 more waiting");
  await uploads(frame).getByRole("button", { name: "Cancel all" }).click();
  await expect(uploads(frame).getByRole("button", { name: "Cancel all" })).toHaveCount(0);
  expect(await rows.count()).toBeLessThanOrEqual(20);
});
