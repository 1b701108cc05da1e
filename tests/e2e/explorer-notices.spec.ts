import { everything, notices } from "./change-support";
import { expect, test } from "./explorer-support";

test("a notice never covers the focused row, and the last row can be scrolled clear of it", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const names = Array.from({ length: 30 }, (_, index) => `file ${String(index).padStart(2, "0")}.txt`);
  await Promise.all(names.map((name) => integrator.bucket.put(name, "x")));
  await integrator.bucket.keepVersions();
  const { frame, row } = await openExplorer({ scope: everything });
  const isSeenWhole = (name: string) =>
    row(name).evaluate((element) => {
      const { left, bottom } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(left + 120, bottom - 4));
    });
  await row("file 00.txt").focus();
  await page.keyboard.press("Delete");
  await expect(notices(frame)).toContainText("file 00.txt deleted");
  // While the pointer is there it stays.
  const notice = notices(frame).getByText("file 00.txt deleted");
  await notice.hover();
  await row("file 01.txt").focus();
  await page.keyboard.press("End");
  await expect(row("file 29.txt")).toBeFocused();
  await expect(notice).toBeVisible();
  expect(await isSeenWhole("file 29.txt")).toBe(true);
});
