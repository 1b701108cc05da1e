import { expect, test } from "../explorer-support";
import { bmp } from "../sample-files";

test("an image fits the preview, and is zoomed by buttons, keys, wheel and double click, around the pointer", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("map.bmp", bmp(1600, 1200), "image/bmp");
  const { frame, row } = await openExplorer();
  await row("map.bmp").dblclick();
  const image = frame.getByRole("dialog").getByRole("img", { name: "map.bmp" });
  const place = frame.getByRole("region", { name: "map.bmp" });
  const percent = frame.getByRole("status", { name: "Zoom" });
  const scrolled = () => place.evaluate((element) => [element.scrollLeft, element.scrollTop]);
  const fits = () =>
    place.evaluate(
      (element) => element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight,
    );
  await expect(percent).toBeVisible();
  expect(await fits()).toBe(true);
  const fitted = await percent.textContent();

  await frame.getByRole("button", { name: "Zoom in" }).click();
  await frame.getByRole("button", { name: "Zoom in" }).click();
  expect(await fits()).toBe(false);
  expect(Math.min(...(await scrolled())), "the middle stays in the middle").toBeGreaterThan(50);

  await place.press("0");
  await expect(percent).toHaveText(fitted ?? "");
  await place.dblclick({ position: { x: 450, y: 200 } });
  await expect(percent).toHaveText("100%");
  const [, before = 0] = await scrolled();
  await place.press("ArrowDown");
  await expect.poll(async () => (await scrolled())[1]).toBeGreaterThan(before);
  await place.press("ArrowRight");
  await expect(image, "an arrow moves about in an enlarged image").toBeVisible();

  await place.dblclick({ position: { x: 450, y: 200 } });
  await expect(percent).toHaveText(fitted ?? "");
  await place.hover({ position: { x: 450, y: 200 } });
  await page.mouse.wheel(0, -520);
  expect(await fits()).toBe(false);
  await place.press("-");
  await expect(percent).not.toHaveText(fitted ?? "");
});

test("dragging moves a zoomed image", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("map.bmp", bmp(1600, 1200), "image/bmp");
  const { frame, row } = await openExplorer();
  await row("map.bmp").dblclick();
  const place = frame.getByRole("region", { name: "map.bmp" });
  await expect(frame.getByRole("button", { name: "Zoom in" })).toBeVisible();
  await place.dblclick({ position: { x: 400, y: 200 } });
  await expect(frame.getByRole("status", { name: "Zoom" })).toHaveText("100%");
  const scrolled = () => place.evaluate((element) => ({ x: element.scrollLeft, y: element.scrollTop }));
  const before = await scrolled();
  await place.hover({ position: { x: 400, y: 200 } });
  await page.mouse.down();
  await place.hover({ position: { x: 330, y: 150 } });
  await page.mouse.up();
  await expect.poll(scrolled).toEqual({ x: before.x + 70, y: before.y + 50 });
});

test("pinching zooms an image", async ({ browser, integrator, stack }) => {
  const context = await browser.newContext({ hasTouch: true, viewport: { width: 360, height: 640 } });
  try {
    const page = await context.newPage();
    await integrator.bucket.put("map.bmp", bmp(1600, 1200), "image/bmp");
    integrator.asks = {};
    const { url } = await integrator.issue();
    await page.goto(`${stack.platformBaseUrl}/healthz`);
    await page.goto(url, { referer: `${integrator.origin}/` });
    await page.getByRole("row", { name: "map.bmp" }).tap();
    const place = page.getByRole("region", { name: "map.bmp" });
    const percent = page.getByRole("status", { name: "Zoom" });
    await expect(percent).toHaveText("21%");
    const box = await place.boundingBox();
    const middle = { x: (box?.x ?? 0) + 150, y: (box?.y ?? 0) + 150 };
    const session = await context.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
      session.send("Input.dispatchTouchEvent", {
        type,
        touchPoints:
          type === "touchEnd"
            ? []
            : [
                { x: middle.x - apart / 2, y: middle.y, id: 0 },
                { x: middle.x + apart / 2, y: middle.y, id: 1 },
              ],
      });
    await touch("touchStart", 60);
    await touch("touchMove", 120);
    await touch("touchMove", 180);
    await touch("touchEnd", 0);
    await expect(percent).toHaveText("62%");
  } finally {
    await context.close();
  }
});

test("an image uses the height of a low frame, and the preview has a margin in a high one", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("map.bmp", bmp(800, 600), "image/bmp");
  await page.setViewportSize({ width: 640, height: 300 });
  const { frame, row } = await openExplorer();
  await row("map.bmp").dblclick();
  const image = frame.getByRole("dialog").getByRole("img", { name: "map.bmp" });
  await expect(image).toBeVisible();
  expect((await image.boundingBox())?.height).toBeGreaterThan(180);
  await page.setViewportSize({ width: 1280, height: 900 });
  const dialog = frame.getByRole("dialog");
  await expect.poll(async () => (await dialog.boundingBox())?.height).toBe(852);
});
