/** The past by keyboard alone: each button is reached by Tab, as by somebody who has no pointer. */
import type { Locator, Page } from "@playwright/test";
import { everything, menuItem, notices, question } from "../change-support";
import { expect } from "../explorer-support";
import { bar, momentDialog, test } from "../past-support";

const text = (text: string) => ({ text });

test.use({
  timezoneId: "Europe/Berlin",
  histories: {
    "gone.txt": [text("gone"), "deleted"],
    "lost.txt": [text("lost"), "deleted"],
    "plan.txt": [text("first plan"), text("the second plan")],
  },
});

/** More than any view here has before a button. */
const MAX_TABS = 30;

/** Presses Tab, or Shift+Tab, until the focus is on the element. */
async function tabTo(page: Page, element: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await element.waitFor();
  const isFocused = () => element.evaluate((one) => one === document.activeElement);
  for (let presses = 0; presses < MAX_TABS && !(await isFocused()); presses++) await page.keyboard.press(key);
  await expect(element).toBeFocused();
}

test("deleted files are found, selected and restored, and the way leads back", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { frame, row, names } = await openExplorer({ scope: everything });
  await row("plan.txt").focus();
  await tabTo(page, frame.getByRole("button", { name: "Deleted files and earlier states" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(menuItem(frame, "Deleted files")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect.poll(names).toEqual(["gone.txt", "lost.txt"]);

  // The filter works as it does in any folder, and only what it shows is restored.
  await tabTo(page, frame.getByRole("searchbox", { name: "Search" }), "Shift+Tab");
  await page.keyboard.type("lost");
  await expect.poll(names).toEqual(["lost.txt"]);
  await expect(bar(frame).getByRole("button", { name: "Restore 1 item" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect.poll(names).toEqual(["gone.txt", "lost.txt"]);

  await tabTo(page, row("gone.txt"));
  await page.keyboard.press("Space");
  await tabTo(page, bar(frame).getByRole("button", { name: "Restore 1 item" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(notices(frame)).toContainText("1 item restored");
  await expect.poll(names).toEqual(["lost.txt"]);
  expect(String(await integrator.bucket.get("gone.txt"))).toBe("gone");

  // The focus has stayed on the button, which restores everything now, and disappears when nothing is left.
  await page.keyboard.press("Enter");
  await expect.poll(names).toEqual([]);
  await expect(frame.locator(".main")).toBeFocused();
  await tabTo(page, bar(frame).getByRole("button", { name: "Back to current files" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect.poll(names).toEqual(["gone.txt", "lost.txt", "plan.txt"]);
});

test("a moment is chosen, and a file is restored from it", async ({ integrator, openExplorer, page }) => {
  const { frame, row, names } = await openExplorer({ scope: everything });
  await row("plan.txt").focus();
  await tabTo(page, frame.getByRole("button", { name: "Deleted files and earlier states" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(menuItem(frame, "Deleted files")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const dialog = momentDialog(frame);
  const month = dialog.getByRole("heading", { level: 3 });
  await tabTo(page, dialog.locator(".calendar__day[tabindex='0']"));
  for (;;) {
    const shown = (await month.textContent()) ?? "";
    if (shown === "January 2026") break;
    await page.keyboard.press("PageUp");
    await expect(month).not.toHaveText(shown);
  }
  const second = dialog.getByRole("button", { name: "Friday, January 2, 2026, something changed" });
  await second.waitFor();
  const wanted = Number(await second.getAttribute("data-day"));
  const focused = dialog.locator(".calendar__day:focus");
  for (;;) {
    const day = (await focused.getAttribute("data-day")) ?? "";
    if (Number(day) === wanted) break;
    await page.keyboard.press(Number(day) > wanted ? "ArrowLeft" : "ArrowRight");
    await expect(focused).not.toHaveAttribute("data-day", day);
  }
  await expect(second).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, dialog.getByRole("radio", { name: /^Until/ }));
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByRole("radio", { name: /^Since/ })).toBeChecked();
  await tabTo(page, dialog.getByRole("button", { name: "Show" }));
  await page.keyboard.press("Enter");
  await expect.poll(names).toEqual(["gone.txt", "lost.txt", "plan.txt"]);

  await tabTo(page, row("gone.txt"));
  await page.keyboard.press("End");
  await page.keyboard.press("Space");
  await tabTo(page, bar(frame).getByRole("button", { name: "Restore 1 item" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, question(frame).getByRole("button", { name: "Replace" }));
  await page.keyboard.press("Enter");
  await expect(notices(frame)).toContainText("1 item restored");
  expect(String(await integrator.bucket.get("plan.txt"))).toBe("first plan");
});
