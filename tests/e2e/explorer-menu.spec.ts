import { everything, menuItem } from "./change-support";
import { expect, test } from "./explorer-support";

test("a menu is opened by right click, keyboard and long press", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  await integrator.bucket.put("b.txt", "x");
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

  const box = await row("b.txt").boundingBox();
  const point = { x: (box?.x ?? 0) + 200, y: (box?.y ?? 0) + 10 };
  const session = await page.context().newCDPSession(page);
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  await expect(frame.getByRole("menu", { name: "Actions for b.txt" })).toBeVisible();
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await expect(frame.getByRole("menu")).toBeVisible();
  await expect(frame.getByRole("dialog")).toHaveCount(0);
});
