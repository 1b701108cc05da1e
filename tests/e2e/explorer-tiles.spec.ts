import { expect, test } from "./explorer-support";
import { bmp } from "./sample-files";

test("tiles: thumbnails of what is seen, keys in two dimensions, selection and sorting", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 700, height: 620 });
  const picture = bmp(64, 48);
  const names = Array.from({ length: 60 }, (_, index) => `p${String(index).padStart(2, "0")}.bmp`);
  await Promise.all(names.map((name) => integrator.bucket.put(name, picture, "image/bmp")));
  await integrator.bucket.put("a-broken.png", "no picture", "image/png");
  await integrator.bucket.put("docs/x.txt", "x", "text/plain");
  const read: string[] = [];
  page.on("request", (request) => {
    const [, name] = /\/((?:p\d+|a-broken)\.\w+)\?/.exec(request.url()) ?? [];
    if (name) read.push(name);
  });
  const { frame } = await openExplorer();
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  await expect(tile("p00.bmp").locator("img")).toBeVisible();
  await expect(tile("p01.bmp").locator("img")).toBeVisible();
  await expect(tile("a-broken.png").locator("svg.file-icon")).toBeVisible();
  expect(read).not.toContain("p59.bmp");

  await tile("docs").focus();
  await page.keyboard.press("ArrowRight");
  await expect(tile("a-broken.png")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(tile("p03.bmp")).toBeFocused();
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(frame.getByText("2 selected")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  await expect(tile("p59.bmp")).toBeFocused();
  await expect(tile("p59.bmp").locator("img")).toBeVisible();
  expect(read, "what was passed over is not read").not.toContain("p25.bmp");

  await frame.getByRole("combobox", { name: "Sort by" }).selectOption("Size");
  await page.keyboard.press("Escape");
  await tile("p59.bmp").press("Alt+Enter");
  await expect(frame.getByRole("dialog", { name: "Details of p59.bmp" })).toContainText("Image (BMP)");
  await page.keyboard.press("Escape");
  await tile("p59.bmp").press("Enter");
  await expect(frame.getByRole("dialog", { name: "p59.bmp" })).toBeVisible();
  await page.keyboard.press("Escape");

  await frame.getByRole("button", { name: "Show as a list" }).click();
  await expect(frame.getByRole("row", { name: "docs", exact: true })).toBeVisible();
});
