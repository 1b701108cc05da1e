import { languages } from "../../../app/locales/languages.server";
import { expect, test } from "../explorer-support";
import { bmp } from "../sample-files";

test("tiles have thumbnails of visible files, arrow keys in two dimensions, selection and sorting", async ({
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
  await expect(tile("p59.bmp")).toBeFocused();
  await tile("p59.bmp").press("Enter");
  await expect(frame.getByRole("dialog", { name: "p59.bmp" })).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Escape");
  await expect(tile("p58.bmp")).toBeFocused();
  await expect(tile("p58.bmp"), "it was only looked at").toHaveAttribute("aria-selected", "false");
  await tile("p59.bmp").getByText("p59.bmp").click();
  await expect(tile("p59.bmp"), "a click on the name").toHaveAttribute("aria-selected", "true");
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await tile("p59.bmp").getByText("p59.bmp").dblclick();
  await expect(frame.getByRole("dialog", { name: "p59.bmp" })).toBeVisible();
  await page.keyboard.press("Escape");

  await frame.getByRole("button", { name: "Show as a list" }).click();
  await expect(frame.getByRole("row", { name: "docs", exact: true })).toBeVisible();
});

test("the size and date of a tile fit, in every language", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x".repeat(999));
  await integrator.bucket.put("b.bin", Buffer.alloc(123_456));
  await page.setViewportSize({ width: 344, height: 620 });
  const { frame, say } = await openExplorer();
  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  await frame.getByRole("menuitem", { name: "Show as tiles" }).click();
  const captions = frame.locator(".tile__about");
  await expect(captions).toHaveCount(2);
  for (const locale of Object.keys(languages)) {
    await say({ type: "platform.embed.configure", locale });
    await expect(frame.locator("html")).toHaveAttribute("lang", locale);
    const cut = await captions.evaluateAll((all) =>
      all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent),
    );
    expect(cut, locale).toEqual([]);
  }
});

test("a tile in search results says which folder it is in, and opens it", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["report.txt", "projects/alpha/annual report.txt"]) await integrator.bucket.put(key, "x");
  const { frame } = await openExplorer();
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  await frame.getByRole("searchbox", { name: "Search" }).fill("report");
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  await expect(tile("annual report.txt")).toContainText("projects / alpha");
  await expect(tile("annual report.txt")).toHaveAttribute("aria-description", /^projects\/alpha · 1 byte/);
  await expect(tile("report.txt").locator(".row__where")).toHaveCount(0);
  await tile("annual report.txt").click({ button: "right" });
  await frame.getByRole("menuitem", { name: "Open its folder" }).click();
  await expect(tile("annual report.txt")).toBeFocused();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("alpha");
  await page.keyboard.press("Backspace");
  await frame.getByRole("searchbox", { name: "Search" }).fill("annual");
  await tile("annual report.txt").getByRole("button", { name: "Open its folder, alpha" }).click();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("alpha");
});

test("a simple SVG gets a bitmap thumbnail; one that may be costly keeps its icon", async ({
  integrator,
  openExplorer,
}) => {
  const shapes = `<rect width="40" height="30" fill="teal"/><circle cx="20" cy="15" r="9"/>`;
  const drawing = (more = "") =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30">${more}${shapes}</svg>`;
  await integrator.bucket.put("plain.svg", drawing(), "image/svg+xml");
  await integrator.bucket.put("filtered.svg", drawing("<filter/>"), "image/svg+xml");
  const repeated = `<g id="a">${"<rect/>".repeat(900)}</g><use href="#a"/><use href="#a"/>`;
  await integrator.bucket.put("repeated.svg", drawing(repeated), "image/svg+xml");
  const { frame } = await openExplorer();
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  const picture = tile("plain.svg").locator("img");
  await expect(picture).toBeVisible();
  const size = await picture.evaluate(async ({ src }: HTMLImageElement) => {
    const image = new Image();
    image.src = src;
    await image.decode();
    return `${image.naturalWidth} x ${image.naturalHeight}`;
  });
  expect(size).toBe("320 x 240");
  for (const name of ["filtered.svg", "repeated.svg"]) {
    await expect(tile(name).locator("svg.file-icon")).toBeVisible();
    await expect(tile(name).locator("img")).toHaveCount(0);
  }
});

test("a tile keeps the focus and stays in view when the number of columns changes", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const names = Array.from({ length: 60 }, (_, index) => `f${String(index).padStart(2, "0")}.txt`);
  await Promise.all(names.map((name) => integrator.bucket.put(name, "x")));
  await page.setViewportSize({ width: 1200, height: 620 });
  const { frame } = await openExplorer();
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = frame.getByRole("gridcell", { name: "f59.txt", exact: true });
  await frame.getByRole("gridcell", { name: "f00.txt", exact: true }).focus();
  await page.keyboard.press("End");
  await expect(tile).toBeFocused();
  for (const width of [600, 900]) {
    const column = await tile.getAttribute("aria-colindex");
    await page.setViewportSize({ width, height: 620 });
    await expect(tile).not.toHaveAttribute("aria-colindex", column ?? "");
    await expect(tile).toBeFocused();
    await expect(tile).toBeInViewport();
  }
});
