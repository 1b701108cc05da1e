import { expect, test } from "../explorer-support";
import { pdf, pdfWithText } from "../sample-files";

test("a PDF is rendered page by page, in a sandboxed frame and under the page's policy", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("report.pdf", pdf(12), "application/pdf");
  const { frame, row } = await openExplorer();
  await row("report.pdf").dblclick();
  const drawing = (page: string) => frame.getByRole("group", { name: page }).locator("canvas");
  await expect(drawing("Page 1 of 12")).toHaveJSProperty("width", 820);
  await expect(drawing("Page 12 of 12")).toHaveCount(0);
  await frame.getByRole("group", { name: "Page 12 of 12" }).scrollIntoViewIfNeeded();
  await expect(drawing("Page 12 of 12")).toHaveJSProperty("width", 820);
  await expect(drawing("Page 1 of 12"), "what is far away is forgotten").toHaveCount(0);
});

test("a PDF is zoomed by buttons, keys and Ctrl with the wheel, and rendered sharp again", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("report.pdf", pdf(2), "application/pdf");
  const { frame, row } = await openExplorer();
  await row("report.pdf").dblclick();
  const canvas = frame.getByRole("group", { name: "Page 1 of 2" }).locator("canvas");
  await expect(canvas).toHaveJSProperty("width", 820);
  await frame.getByRole("button", { name: "Zoom in" }).click();
  await expect(canvas).toHaveJSProperty("width", 1148);
  await expect(frame.getByRole("status", { name: "Zoom" })).toHaveText("140%");
  await frame.getByRole("document", { name: "report.pdf" }).press("0");
  await expect(canvas).toHaveJSProperty("width", 820);
  await frame.getByRole("document", { name: "report.pdf" }).press("-");
  await expect(frame.getByRole("status", { name: "Zoom" })).toHaveText("71%");
  await frame.getByRole("button", { name: "Fit" }).click();
  await frame.getByRole("document", { name: "report.pdf" }).hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -260);
  await page.keyboard.up("Control");
  await expect(frame.getByRole("status", { name: "Zoom" })).toHaveText("200%");
  await expect(canvas).toHaveJSProperty("width", 1640);
});

test("the text of a PDF can be selected, even Japanese without an embedded font", async ({
  integrator,
  openExplorer,
  page,
  stack,
}) => {
  await integrator.bucket.put("report.pdf", pdfWithText("Quarterly report", "東京の倉庫"), "application/pdf");
  const map = page.waitForResponse((response) => response.url().includes("/cmaps/UniJIS-UCS2-H.bcmap"));
  const { frame, row } = await openExplorer();
  await row("report.pdf").dblclick();
  await expect(frame.getByText("Quarterly report")).toBeVisible();
  await expect(frame.getByText("東京の倉庫")).toBeVisible();
  expect(new URL((await map).url()).origin).toBe(stack.platformBaseUrl);
  await frame.getByText("Quarterly report").dblclick({ position: { x: 5, y: 5 } });
  expect(await frame.locator("body").evaluate(() => getSelection()?.toString())).toBe("Quarterly");
  const fits = await frame.getByText("Quarterly report").evaluate((text) => {
    const page = text.closest(".preview__page")?.getBoundingClientRect();
    const { left, top } = text.getBoundingClientRect();
    return page && { left: (left - page.left) / page.width, top: (top - page.top) / page.height };
  });
  expect(fits?.left).toBeCloseTo(20 / 300, 2);
  expect(fits?.top).toBeCloseTo((300 - 200 - 18) / 300, 1);

  // Whoever selects up to the edge and lets go beside the preview keeps it; a click there closes it.
  const preview = frame.getByRole("dialog", { name: "report.pdf" });
  const box = await preview.boundingBox();
  const beside = [(box?.x ?? 0) - 12, (box?.y ?? 0) + 200] as const;
  await frame.getByText("Quarterly report").hover({ position: { x: 5, y: 5 } });
  await page.mouse.down();
  await page.mouse.move(...beside);
  await page.mouse.up();
  await expect(preview).toBeVisible();
  await page.mouse.click(...beside);
  await expect(preview).toBeHidden();

  // As a browser does that lets no page keep a dialog open.
  await row("report.pdf").dblclick();
  await preview.evaluate((dialog: HTMLDialogElement) => dialog.close());
  await expect(frame.locator(".preview")).toHaveCount(0);
});

test("a PDF has the colours of the theme until its first page is drawn", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("report.pdf", pdf(1), "application/pdf");
  const { frame, row, say } = await openExplorer();
  await say({ type: "platform.embed.configure", theme: "dark" });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/report.pdf?*", async (route) => {
    await released;
    await route.continue();
  });
  await row("report.pdf").dblclick();
  const sheet = frame.locator(".preview__page");
  await expect(sheet).toHaveClass(/preview__page--waiting/);
  await expect(sheet).toHaveCSS("background-image", /^linear-gradient\(100deg, rgb\(27, 29, 33\)/);
  await expect(sheet).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  release();
  await expect(sheet.locator("canvas")).toBeVisible();
  await expect(sheet).not.toHaveClass(/waiting/);
  await expect(sheet).toHaveCSS("background-color", "rgb(255, 255, 255)");
});

test("a broken PDF is reported", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("broken.pdf", "%PDF-1.7\nand nothing else", "application/pdf");
  const { frame, row } = await openExplorer();
  await row("broken.pdf").dblclick();
  await expect(frame.getByText(/^This file cannot be read\. It may be damaged\./)).toBeVisible();
});
