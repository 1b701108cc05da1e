/** What the tray of uploads shows of what has arrived, and how little room it takes. */
import type { Page } from "@playwright/test";
import { everything } from "../change-support";
import { expect, slowDown, test } from "../explorer-support";
import { button, choose, files, title, uploads, violations } from "../upload-support";

const names = Array.from({ length: 60 }, (_, index) => `file ${String(index).padStart(2, "0")}.txt`);
const fill = (bucket: { put(key: string, text: string): Promise<void> }) =>
  Promise.all(names.map((name) => bucket.put(name, "x")));
const arrive = (page: Page) => slowDown(page, -1);

test("what has arrived in the open folder is scrolled to and selected", async ({
  integrator,
  openExplorer,
}) => {
  await fill(integrator.bucket);
  const { frame, row } = await openExplorer();
  await expect(row("file 00.txt")).toBeInViewport();
  await choose(frame, files(10, "zebra.mp4", "yak.mp4"));
  await expect(row("yak.mp4")).toBeInViewport();
  await expect(row("yak.mp4")).toHaveAttribute("aria-selected", "true");
  await expect(row("zebra.mp4")).toHaveAttribute("aria-selected", "true");
  await expect(frame.getByRole("contentinfo")).toContainText("2 selected");
  await expect(button(frame, "Show the uploaded files")).toHaveCount(0);
});

for (const [what, meanwhile] of [
  ["selects", (page: Page) => page.keyboard.press("Space")],
  ["scrolls", (page: Page) => page.mouse.wheel(0, 200)],
  ["moves the focus", (page: Page) => page.keyboard.press("ArrowDown")],
] as const) {
  test(`if the person ${what} meanwhile, the tray only offers to show them`, async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await fill(integrator.bucket);
    const { frame, row } = await openExplorer();
    await row("file 02.txt").focus();
    await row("file 02.txt").hover();
    await slowDown(page, 200_000);
    await choose(frame, files(600_000, "zebra.mp4"));
    await expect(title(frame, "Uploading 1 file")).toBeVisible();
    await meanwhile(page);
    await arrive(page);
    await expect(title(frame, "1 upload finished")).toBeVisible();
    await expect(row("zebra.mp4")).not.toBeInViewport();
    await button(frame, "Show the uploaded files").press("Enter");
    await expect(row("zebra.mp4")).toBeFocused();
    await expect(row("zebra.mp4")).toHaveAttribute("aria-selected", "true");
    await expect(row("file 02.txt")).toHaveAttribute("aria-selected", "false");
    await expect(button(frame, "Show the uploaded files")).toHaveCount(0);
  });
}

test("from another folder, Show opens the folder of what has arrived", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("docs/a.txt", "x");
  const { frame, row } = await openExplorer();
  await slowDown(page, 200_000);
  await choose(frame, files(600_000, "film.mp4"));
  await expect(title(frame, "Uploading 1 file")).toBeVisible();
  await row("docs").dblclick();
  await expect(row("a.txt")).toBeVisible();
  await arrive(page);
  await button(frame, "Show the uploaded files").click();
  await expect(row("film.mp4")).toBeFocused();
  await expect(row("film.mp4")).toHaveAttribute("aria-selected", "true");
});

for (const width of [360, 768, 1280]) {
  test(`the tray is one line that covers no row, at ${width} pixels`, async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await fill(integrator.bucket);
    await page.setViewportSize({ width, height: 560 });
    const { frame } = await openExplorer();
    const main = frame.getByRole("main");
    const before = (await main.boundingBox())?.height ?? 0;
    await slowDown(page, 20_000);
    await choose(frame, files(1_000_000, "a.mp4", "b.mp4"));
    await expect(title(frame, "Uploading 0 of 2 files")).toBeVisible();
    const [tray, list] = [await uploads(frame).boundingBox(), await main.boundingBox()];
    expect(tray?.height).toBeLessThanOrEqual(48);
    expect(tray?.y).toBeGreaterThanOrEqual((list?.y ?? 0) + (list?.height ?? 0) - 1);
    expect(before - (list?.height ?? 0)).toBeLessThanOrEqual(width === 360 ? 48 : 4);
    await expect(uploads(frame).getByRole("progressbar")).toHaveCount(1);

    const fold = button(frame, "Show uploads");
    await fold.press("Enter");
    await expect(uploads(frame).getByRole("listitem")).toHaveCount(2);
    expect((await main.boundingBox())?.height).toBeGreaterThan(120);
    expect(await violations(page)).toEqual([]);
    await button(frame, "Pause all").focus();
    await page.keyboard.press("Escape");
    await expect(uploads(frame).getByRole("listitem")).toHaveCount(0);
    await expect(fold).toBeFocused();
  });
}

test("beside a selection that leaves no room, the tray fills the line below", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  // So narrow that the two do not fit in any font.
  const frameWidth = 760;
  await page.setViewportSize({ width: frameWidth, height: 560 });
  const { frame, grid } = await openExplorer({ scope: everything });
  await slowDown(page, 20_000);
  await choose(frame, files(1_000_000, "a.mp4", "b.mp4"));
  await expect(title(frame, "Uploading 0 of 2 files")).toBeVisible();
  const width = async () => (await uploads(frame).boundingBox())?.width;
  expect(await width()).toBeLessThan(400);
  await grid.getByRole("row").nth(1).getByRole("checkbox").check();
  await expect.poll(width).toBe(frameWidth);
});

test.describe("a taken name", () => {
  test.use({ allowedConsole: [/Failed to load resource: .*status of 412/] });

  test("opens the list by itself, and the answer closes it", async ({ integrator, openExplorer }) => {
    await integrator.bucket.put("a.mp4", "x");
    const { frame, row } = await openExplorer();
    await choose(frame, files(10, "a.mp4"));
    await expect(title(frame, "1 upload needs attention")).toBeVisible();
    await button(frame, "Keep both").press("Enter");
    await expect(row("a (1).mp4")).toHaveAttribute("aria-selected", "true");
    await expect(uploads(frame).getByRole("listitem")).toHaveCount(0);
    await expect(button(frame, "Show uploads")).toBeFocused();
  });
});
