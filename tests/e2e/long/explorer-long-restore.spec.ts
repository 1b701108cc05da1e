/** A thousand deleted files come back: with progress, cancelled on the way, and going on after a failure. */
import { everything, menuItem, notices, panel } from "../change-support";
import { expect, manyFiles, test } from "../explorer-support";

/** More than one request restores. */
const COUNT = 1_020;

const keyOf = (index: number) => `many/${String(index).padStart(4, "0")}.txt`;

test.use({
  initialObjects: manyFiles(COUNT, keyOf),
  allowedConsole: [/Failed to load resource/],
});

test("a thousand files are restored, with progress, cancel, and going on after a failure", async ({
  integrator,
  openExplorer,
  page,
}) => {
  test.setTimeout(240_000);
  await integrator.bucket.keepVersions();
  await integrator.bucket.removeAll(Array.from({ length: COUNT }, (_, index) => keyOf(index)));
  const { frame, row } = await openExplorer({ scope: everything });
  await frame.getByRole("button", { name: "Deleted files and earlier states" }).click();
  await menuItem(frame, "Deleted files").click();
  await expect(row("many")).toBeVisible();
  const existing = async () => (await integrator.bucket.list()).length;

  // The response to the first part of it comes when the test says so.
  let release = () => {};
  let isFailing = false;
  let answered = 0;
  await page.route("**/api/embed/storage/restore", async (route) => {
    if (isFailing) return route.fulfill({ status: 403, json: { error: "no", code: "scope_not_allowed" } });
    const response = await route.fetch();
    answered += 1;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await route.fulfill({ response });
  });
  await row("many").click({ button: "right" });
  await menuItem(frame, "Restore").click();
  await expect(panel(frame)).toContainText("Restoring many");
  await expect(panel(frame)).toContainText(/files found/);
  await expect(panel(frame).getByRole("progressbar")).toBeVisible();
  await expect.poll(() => answered, { timeout: 30_000 }).toBe(1);
  await panel(frame).getByRole("button", { name: "Cancel: Restoring many" }).click();
  await expect(panel(frame)).toContainText("Stopping…");
  release();
  await expect(notices(frame)).toContainText(/Cancelled after [\d,]+ files\. What is done stays\./);
  const first = await existing();
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(COUNT);

  // The folder is there again, so the others are listed as deleted one by one. Now the service refuses, and takes it up again.
  isFailing = true;
  await frame.getByRole("checkbox", { name: "Select all" }).click();
  await frame.getByRole("button", { name: /^Restore [\d,]+ items$/ }).click();
  await expect(panel(frame).getByRole("alert")).toBeVisible();
  isFailing = false;
  await page.unroute("**/api/embed/storage/restore");
  await panel(frame).getByRole("button", { name: "Try again" }).click();
  await expect(notices(frame)).toContainText(/[\d,]+ items restored/, { timeout: 120_000 });
  await expect(panel(frame)).toHaveCount(0);
  await expect(row("many")).toHaveCount(0);
  await frame.getByRole("button", { name: "Back to current files" }).click();
  await row("many").dblclick();
  await expect(frame.getByRole("contentinfo")).toContainText("1,020 items");
});
