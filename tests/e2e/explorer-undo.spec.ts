import { choose, everything, listen, notices, told } from "./change-support";
import { expect, test } from "./explorer-support";

test("on a bucket with versioning, files are deleted at once, and Undo restores them", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  for (const key of ["a.txt", "docs/b.txt", "docs/c.txt"]) await integrator.bucket.put(key, `text of ${key}`);
  await listen(page);
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await choose(explorer, "docs", "Delete");
  await expect(notices(frame)).toContainText("docs deleted");
  await expect(row("a.txt")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(["a.txt"]);
  const undo = notices(frame).getByRole("button", { name: "Undo" });
  await undo.focus();
  await page.keyboard.press("Enter");
  await expect(row("docs")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(["a.txt", "docs/b.txt", "docs/c.txt"]);

  await row("a.txt").focus();
  await page.keyboard.press("Delete");
  await expect(row("a.txt")).toHaveCount(0);
  await expect(notices(frame)).toContainText("a.txt deleted");
  await page.keyboard.press("Control+z");
  await expect(row("a.txt")).toBeFocused();
  expect((await integrator.bucket.get("a.txt"))?.toString()).toBe("text of a.txt");
  expect((await told(page)).map(({ action, done }) => `${action} ${done}`)).toEqual([
    "delete 2",
    "restore 2",
    "delete 1",
    "restore 1",
  ]);
});

test("a notice disappears by itself after the notice under the pointer was removed by Undo", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  const remove = async () => {
    await row("a.txt").focus();
    await page.keyboard.press("Delete");
    await expect(notices(frame)).toContainText("a.txt deleted");
  };
  await remove();
  await notices(frame).getByRole("button", { name: "Undo" }).click();
  await expect(row("a.txt")).toBeFocused();
  await page.mouse.move(5, 5);
  await remove();
  await expect(notices(frame)).toHaveCount(0, { timeout: 15_000 });
});

test("a double click on a row's menu button opens the menu and triggers no item", async ({
  integrator,
  openExplorer,
}) => {
  for (let count = 10; count < 40; count++) await integrator.bucket.put(`file ${count}.txt`, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  const last = row("file 39.txt");
  await last.scrollIntoViewIfNeeded();
  await last.getByRole("button", { name: "More for file 39.txt" }).dblclick();
  await expect(frame.getByRole("menu")).toBeVisible();
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await expect(notices(frame)).toHaveCount(0);
});
