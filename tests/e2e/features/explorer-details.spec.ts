import type { FrameLocator } from "@playwright/test";
import { violations } from "../change-support";
import { expect, inBothThemes, resize, test } from "../explorer-support";
import { bmp } from "../sample-files";

const panel = (frame: FrameLocator) => frame.getByRole("complementary", { name: "Details" });

test("details at the side follow the focus and the selection, and Escape leads back to the row", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x".repeat(1_000));
  await integrator.bucket.put("b.txt", "x".repeat(2_000));
  await integrator.bucket.put("docs/c.txt", "x");
  const { frame, row } = await openExplorer();
  await row("a.txt").focus();
  await page.keyboard.press("Alt+Enter");
  await expect(panel(frame)).toBeFocused();
  await expect(panel(frame)).toContainText("a.txt");
  await expect(frame.getByRole("dialog")).toHaveCount(0);

  await row("a.txt").focus();
  await page.keyboard.press("ArrowDown");
  await expect(panel(frame)).toContainText("b.txt");
  await page.keyboard.press("Space");
  await page.keyboard.press("Home");
  await expect(row("docs")).toBeFocused();
  await expect(panel(frame), "the selection comes first").toContainText("b.txt");
  await row("a.txt").getByRole("checkbox").check();
  await expect(panel(frame)).toContainText("2 items");
  await expect(panel(frame)).toContainText("Total size3 kB");
  await row("docs").getByRole("checkbox").check();
  await expect(panel(frame)).toContainText("3 kB (without folders)");

  // Another row can be asked about while these stay selected.
  await row("docs").getByRole("checkbox").uncheck();
  await row("docs").click({ button: "right" });
  await frame.getByRole("menuitem", { name: "Details" }).click();
  await expect(panel(frame)).toContainText("Folder");
  await expect(panel(frame)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(panel(frame)).toHaveCount(0);
  await expect(row("docs")).toBeFocused();
});

test("details of an image show its thumbnail, at the side and in the dialog", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.bmp", bmp(64, 48), "image/bmp");
  await integrator.bucket.put("b.txt", "x");
  const { frame, row } = await openExplorer();
  await row("a.bmp").focus();
  await page.keyboard.press("Alt+Enter");
  await expect(panel(frame).locator("img")).toBeVisible();
  await expect(panel(frame).locator(".file-icon")).toBeHidden();
  await row("b.txt").focus();
  await expect(panel(frame)).toContainText("b.txt");
  await expect(panel(frame).locator("img")).toHaveCount(0);
  await expect(panel(frame).locator(".file-icon")).toBeVisible();
  await page.setViewportSize({ width: 800, height: 720 });
  // The frame learns of its new width by an event.
  await expect(panel(frame)).toHaveCount(0);
  await row("a.bmp").press("Alt+Enter");
  await expect(frame.getByRole("dialog").locator("img")).toBeVisible();
});

test("details at the side stay open or closed when the page is opened again", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer();
  const toggle = frame.getByRole("button", { name: "Details", exact: true });
  await expect(toggle).toHaveAttribute("aria-pressed", "false");
  await toggle.click();
  await expect(panel(frame)).toContainText("Select a file or folder to see its details.");
  await expect(toggle).toBeFocused();
  await openExplorer();
  await expect(panel(frame)).toBeVisible();
  await row("a.txt").focus();
  await expect(panel(frame)).toContainText("a.txt");
  await panel(frame).getByRole("button", { name: "Close" }).click();
  await expect(row("a.txt")).toBeFocused();
  await openExplorer();
  await expect(toggle).toHaveAttribute("aria-pressed", "false");
  await expect(panel(frame)).toHaveCount(0);
});

test("customers read of name, size and location; keys and versions are for support", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("customers/42/Contracts/2026/a.txt", "x".repeat(1_234));
  await page.setViewportSize({ width: 800, height: 720 });
  const { frame, row } = await openExplorer({ scope: { path: "/customers/42" } });
  await row("Contracts").dblclick();
  await row("2026").dblclick();
  await row("a.txt").focus();
  await page.keyboard.press("Alt+Enter");
  const dialog = frame.getByRole("dialog", { name: "Details of a.txt" });
  await expect(dialog).toContainText("Location42 / Contracts / 2026");
  await expect(dialog).toContainText("1.2 kB (1,234 bytes)");
  await expect(dialog.getByText("customers/42/Contracts/2026/a.txt")).toBeHidden();
  await dialog.getByText("For support").click();
  await expect(dialog.getByText("customers/42/Contracts/2026/a.txt")).toBeVisible();
  await expect(dialog.getByText("Version (ETag)")).toBeVisible();

  // No dialog opens by itself when the frame has become wider and narrower again.
  await page.keyboard.press("Escape");
  await resize(page, frame, 1280);
  await row("a.txt").press("Alt+Enter");
  await expect(panel(frame)).toBeVisible();
  await resize(page, frame, 800);
  await expect(panel(frame)).toHaveCount(0);
  await expect(frame.getByRole("dialog")).toHaveCount(0);
});

test("the panel passes axe, in light and in dark, and leaves room for names", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("docs/a.txt", "x");
  await integrator.bucket.put("report.txt", "x");
  await page.setViewportSize({ width: 900, height: 600 });
  const explorer = await openExplorer();
  const { frame, row } = explorer;
  await row("report.txt").focus();
  await page.keyboard.press("Alt+Enter");
  await panel(frame).getByText("For support").click();
  await inBothThemes(explorer, async (theme) => expect(await violations(page), theme).toEqual([]));
  expect((await row("report.txt").locator(".row__name").boundingBox())?.width).toBeGreaterThan(200);
});
