import type { Page } from "@playwright/test";
import { everything, menuItem, violations } from "../change-support";
import { expect, inBothThemes, type OpenExplorer, test } from "../explorer-support";

const opens: [name: string, open: (explorer: OpenExplorer, page: Page) => Promise<void>][] = [
  ["the menu", ({ row }) => row("a.txt").click({ button: "right" })],
  ["a new folder", ({ frame }) => frame.getByRole("button", { name: "New folder" }).click()],
  [
    "a destination",
    async ({ frame, row }) => {
      await row("a.txt").click({ button: "right" });
      await menuItem(frame, "Move to").click();
      await expect(frame.getByRole("treeitem", { name: "in" })).toBeVisible();
    },
  ],
  [
    "the question before deleting",
    async ({ frame, row }, page) => {
      await row("a.txt").click();
      await page.keyboard.press("Delete");
      await expect(frame.getByRole("alertdialog")).toBeVisible();
    },
  ],
  [
    "a name that is refused",
    async ({ frame, row }, page) => {
      await row("a.txt").focus();
      await page.keyboard.press("F2");
      await frame.getByRole("textbox", { name: "New name of a.txt" }).fill("/");
      await page.keyboard.press("Enter");
    },
  ],
];
for (const [name, open] of opens) {
  test(`${name} pass axe, in light and in dark`, async ({ integrator, openExplorer, page }) => {
    for (const key of ["a.txt", "in/c.txt"]) await integrator.bucket.put(key, "x");
    const explorer = await openExplorer({ scope: everything });
    await open(explorer, page);
    await inBothThemes(explorer, async (theme) => expect(await violations(page), theme).toEqual([]));
  });
}
