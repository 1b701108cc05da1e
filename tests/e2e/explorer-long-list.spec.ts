import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./explorer-support";

const COUNT = 400;
const nameOf = (index: number) => `f${String(index).padStart(3, "0")}.txt`;

test.beforeEach(async ({ integrator, page }) => {
  // Of a longer list only what can be seen is in the document. Below a folder, so that a search has hits as well.
  await Promise.all(
    Array.from({ length: COUNT }, (_, index) => integrator.bucket.put(`box/${nameOf(index)}`, "x")),
  );
  // Nothing is drawn between two places of the list then, in which the browser could catch up.
  await page.emulateMedia({ reducedMotion: "reduce" });
});

/** @param item a row or a tile */
async function expectKeysToLead(page: Page, item: (index: number) => Locator): Promise<void> {
  const reaches = async (key: string, index: number) => {
    await page.keyboard.press(key);
    await expect(item(index)).toBeFocused();
    await expect(item(index)).toBeInViewport({ ratio: 1 });
  };
  await item(0).focus();
  await reaches("End", COUNT - 1);
  await reaches("Home", 0);
  await reaches("End", COUNT - 1);
  await page.keyboard.press("PageUp");
  await expect(item(COUNT - 1)).not.toBeFocused();
  await reaches("PageDown", COUNT - 1);
  await page.keyboard.type("f20");
  await expect(item(200)).toBeFocused();
  await expect(item(200)).toBeInViewport({ ratio: 1 });
  await reaches("Home", 0);
}

test("keys lead to the ends of a long list, in rows and tiles", async ({ openExplorer, page }) => {
  const { frame, row } = await openExplorer({ scope: { path: "/box" } });
  await expect(frame.getByText(`${COUNT} items`)).toBeVisible();
  await expectKeysToLead(page, (index) => row(nameOf(index)));
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = (index: number) => frame.getByRole("gridcell", { name: nameOf(index), exact: true });
  await expectKeysToLead(page, tile);
});

test("keys lead to the ends of what a search has found", async ({ openExplorer, page }) => {
  const { frame, row } = await openExplorer();
  await frame.getByRole("textbox", { name: "Search" }).fill("txt");
  await expect(frame.getByText(`${COUNT} found`)).toBeVisible();
  await expectKeysToLead(page, (index) => row(nameOf(index)));
});
