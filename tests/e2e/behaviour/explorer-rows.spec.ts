import { expect, test } from "../explorer-support";
import { bmp } from "../sample-files";

test("rows of images show thumbnails, which are loaded for visible rows and shared with the tiles", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 1000, height: 500 });
  const names = Array.from({ length: 60 }, (_, index) => `p${String(index).padStart(2, "0")}.bmp`);
  await Promise.all(names.map((name) => integrator.bucket.put(name, bmp(64, 48), "image/bmp")));
  await integrator.bucket.put("a-broken.png", "no picture", "image/png");
  await integrator.bucket.put("z.txt", "x");
  const read: string[] = [];
  page.on("request", (request) => {
    const [, name] = /\/((?:p\d+|a-broken)\.\w+)\?/.exec(request.url()) ?? [];
    if (name) read.push(name);
  });
  const { frame, row } = await openExplorer();
  const picture = (name: string) => row(name).locator("img");
  await expect(picture("p00.bmp")).toBeVisible();
  await expect(picture("p05.bmp")).toBeVisible();
  await expect(row("a-broken.png").locator("svg.file-icon")).toBeVisible();
  const icon = await row("a-broken.png").locator(".row__file").boundingBox();
  expect((await row("p00.bmp").locator(".row__file").boundingBox())?.x).toBe(icon?.x);

  await row("p00.bmp").focus();
  await page.keyboard.press("End");
  await expect(picture("p59.bmp")).toBeVisible();
  await expect(row("z.txt").locator("img")).toHaveCount(0);
  expect(read, "what was passed over is not read").not.toContain("p25.bmp");

  await page.keyboard.press("Home");
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = frame.getByRole("gridcell", { name: "p00.bmp", exact: true });
  await expect(tile.locator("img")).toBeVisible();
  expect(read.filter((name) => name === "p00.bmp")).toHaveLength(1);
});

test("without the permission to download, no image is read", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.bmp", bmp(64, 48), "image/bmp");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/presign|a\.bmp\?|thumbnails-/.test(request.url())) asked.push(request.url());
  });
  const { frame, row } = await openExplorer({ scope: { actions: [] } });
  await expect(row("a.bmp").locator("svg.file-icon")).toBeVisible();
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  await expect(frame.getByRole("gridcell", { name: "a.bmp", exact: true })).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(asked).toEqual([]);
});

test("a folder has no date and no size, and no sign for nothing", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("docs/a.txt", "x");
  const { row } = await openExplorer();
  for (const cell of [".row__modified", ".row__size"]) await expect(row("docs").locator(cell)).toHaveText("");
  await expect(row("docs").getByRole("gridcell")).toHaveCount(6);
});
