import { mkdirSync } from "node:fs";
import type { Locator } from "@playwright/test";
import { everything, notices } from "../change-support";
import { expect, test, thirtyFiles } from "../explorer-support";

/** Whether two elements have no point in common. */
async function areApart(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()]);
  if (a === null || b === null) throw new Error("It is not on the screen.");
  const isBeside = a.x + a.width <= b.x + 1 || b.x + b.width <= a.x + 1;
  return isBeside || a.y + a.height <= b.y + 1 || b.y + b.height <= a.y + 1;
}

test.describe("in a folder of thirty files", () => {
  test.use({ initialObjects: thirtyFiles });

  for (const width of [360, 768, 1280]) {
    test(`a notice covers no row and moves no button, at ${width} pixels`, async ({
      integrator,
      openExplorer,
      page,
    }) => {
      await integrator.bucket.keepVersions();
      await page.setViewportSize({ width, height: 640 });
      const { frame, row } = await openExplorer({ scope: everything });
      await row("file 00.txt").click();
      await page.keyboard.press("Delete");
      await expect(notices(frame)).toContainText("file 00.txt deleted");
      // While the pointer is there it stays.
      await notices(frame).getByText("file 00.txt deleted").hover();
      await row("file 01.txt").focus();
      await page.keyboard.press("End");
      await expect(row("file 29.txt")).toBeFocused();
      await page.keyboard.press("Space");
      await expect(frame.getByRole("contentinfo")).toContainText("1 selected");
      expect(await areApart(notices(frame), frame.getByRole("main"))).toBe(true);
      expect(await areApart(notices(frame), frame.getByRole("contentinfo"))).toBe(true);
      const places = () =>
        frame
          .getByRole("contentinfo")
          .getByRole("button")
          .evaluateAll((buttons) => buttons.map((button) => JSON.stringify(button.getBoundingClientRect())));
      const isSeenWhole = await row("file 29.txt").evaluate((element) => {
        const { left, bottom } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + 120, bottom - 4));
      });
      expect(isSeenWhole).toBe(true);
      const before = await places();
      await notices(frame).getByRole("button", { name: "Dismiss" }).click();
      await expect(notices(frame)).toHaveCount(0);
      expect(await places()).toEqual(before);
    });
  }

  for (const width of [360, 768, 1280]) {
    test(`what is said while something loads covers no row and no button, at ${width} pixels`, async ({
      openExplorer,
      page,
    }) => {
      await page.setViewportSize({ width, height: 640 });
      const { frame, row } = await openExplorer({ scope: everything });
      // The code of the preview and of changes is not loaded before the end of the test.
      await page.route("**/build/**/*.js", () => {});
      for (const key of ["Enter", "F2"]) {
        await row("file 00.txt").focus();
        await page.keyboard.press(key);
        const said = frame.locator(".renewing").last();
        await expect(said).toHaveText("Loading…");
        await expect.poll(async () => (await said.boundingBox())?.height).toBeGreaterThan(30);
        expect(await areApart(said, frame.getByRole("main"))).toBe(true);
        expect(await areApart(said, frame.getByRole("contentinfo"))).toBe(true);
      }
    });
  }
});

test("there is one notice at a time, and it goes with the folder that it is about", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const key of ["a.txt", "b.txt", "docs/c.txt"]) await bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  for (const name of ["a.txt", "b.txt"]) {
    await row(name).click();
    await page.keyboard.press("Delete");
    await expect(notices(frame)).toContainText(`${name} deleted`);
  }
  await expect(notices(frame)).toHaveCount(1);
  // A focused button of the notice is removed with it.
  await notices(frame).getByRole("button", { name: "Undo" }).focus();
  await row("docs").evaluate((element) => (element as HTMLElement).click());
  await expect(row("c.txt")).toBeFocused();
  await expect(notices(frame)).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Undone: b.txt deleted");
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Undone: a.txt deleted");
  expect(await bucket.list()).toEqual(["a.txt", "b.txt", "docs/c.txt"]);
});

test("the focus is not lost with a notice", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.keepVersions();
  for (const key of ["a.txt", "b.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").click();
  await page.keyboard.press("Delete");
  await notices(frame).getByRole("button", { name: "Dismiss" }).press("Enter");
  await expect(notices(frame)).toHaveCount(0);
  await expect(frame.getByRole("main")).toBeFocused();
  await row("b.txt").focus();
  await page.keyboard.press("Control+z");
  const redo = notices(frame).getByRole("button", { name: "Redo" });
  await redo.focus();
  await page.keyboard.press("Control+Shift+z");
  await expect(notices(frame)).toContainText("Redone: a.txt deleted");
  const hasFocus = () => frame.getByRole("main").evaluate((main) => main.contains(document.activeElement));
  expect(await hasFocus()).toBe(true);
});

test("notices of uploads and of changes replace each other", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("a.txt", "x");
  await integrator.bucket.put("docs/b.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").click();
  await page.keyboard.press("Delete");
  await expect(notices(frame)).toContainText("a.txt deleted");
  mkdirSync(testInfo.outputPath("empty"), { recursive: true });
  await frame.locator("input[webkitdirectory]").setInputFiles(testInfo.outputPath("empty"));
  const alert = frame.getByRole("alert");
  await expect(alert).toContainText("There are no files to upload in that folder.");
  await expect(notices(frame)).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Undone: a.txt deleted");
  await expect(alert).toHaveCount(0);
});
