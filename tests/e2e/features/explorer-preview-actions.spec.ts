/** What can be done with the file in the preview, and how to get from one to the next by a finger. */
import type { Page } from "@playwright/test";
import { dialog, everything, menuItem, notices, violations } from "../change-support";
import { expect, type OpenExplorer, test, thirtyFiles } from "../explorer-support";
import { PNG } from "../sample-files";

const more = ({ frame }: OpenExplorer, name: string) =>
  frame.getByRole("dialog", { name }).getByRole("button", { name: `More for ${name}` });

test.describe("with a keyboard", () => {
  test.use({ initialObjects: thirtyFiles });

  test("the file is renamed and deleted from its preview", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.keepVersions();
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await page.setViewportSize({ width: 1280, height: 600 });
    await row("file 00.txt").press("Enter");
    await more(explorer, "file 00.txt").press("Enter");
    await expect(menuItem(frame, "Rename")).toBeFocused();
    expect(await violations(page)).toEqual([]);
    // The keys are the menu's, and not those of the preview.
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Escape");
    await expect(more(explorer, "file 00.txt")).toBeFocused();

    await more(explorer, "file 00.txt").press("Enter");
    await menuItem(frame, "Rename").press("Enter");
    await frame.getByRole("textbox", { name: "New name of file 00.txt" }).fill("zero.txt");
    await page.keyboard.press("Enter");
    await expect(row("zero.txt")).toBeFocused();

    await row("file 29.txt").press("Enter");
    await more(explorer, "file 29.txt").press("Enter");
    await menuItem(frame, "Delete").press("Enter");
    await expect(dialog(frame)).toHaveCount(0);
    await notices(frame).getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => integrator.bucket.list()).toContain("file 29.txt");
  });

  test("a token that changes nothing has no menu there", async ({ openExplorer }) => {
    const explorer = await openExplorer({ scope: { actions: ["download"] } });
    await explorer.row("file 00.txt").press("Enter");
    await expect(explorer.frame.getByRole("dialog", { name: "file 00.txt" })).toBeVisible();
    await expect(more(explorer, "file 00.txt")).toHaveCount(0);
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });

  async function swipe(page: Page, from: number, to: number): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", x?: number) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints: x === undefined ? [] : [{ x, y: 320 }] });
    await touch("touchStart", from);
    await touch("touchMove", (from + to) / 2);
    await touch("touchMove", to);
    await touch("touchEnd");
  }

  test("swiping leads to the next photo and back, and none of them is selected afterwards", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    for (const name of ["a.png", "b.png", "c.png"]) await integrator.bucket.put(name, PNG, "image/png");
    const { frame, row } = await openExplorer({ scope: everything });
    await row("a.png").tap();
    await expect(frame.getByRole("dialog", { name: "a.png" }).getByRole("img")).toBeVisible();
    await swipe(page, 300, 80);
    await expect(frame.getByRole("dialog", { name: "b.png" }).getByRole("img")).toBeVisible();
    await swipe(page, 80, 300);
    await expect(frame.getByRole("dialog", { name: "a.png" })).toBeVisible();
    await frame.getByRole("button", { name: "Close" }).tap();
    await expect(dialog(frame)).toHaveCount(0);
    await expect(row("a.png")).toHaveAttribute("aria-selected", "false");
    await expect(frame.getByRole("contentinfo")).toContainText("3 items");
  });
});
