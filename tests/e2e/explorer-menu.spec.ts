import { everything, menuItem } from "./change-support";
import { expect, test } from "./explorer-support";

test("a menu is opened by right click and keyboard", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").click({ button: "right" });
  await expect(frame.getByRole("menu", { name: "Actions for a.txt" })).toBeVisible();
  await expect(menuItem(frame, "Preview")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(menuItem(frame, "Delete")).toBeFocused();
  await page.keyboard.press("r");
  await expect(menuItem(frame, "Rename")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(row("a.txt")).toBeFocused();
  await page.keyboard.press("Shift+F10");
  await expect(frame.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
});
