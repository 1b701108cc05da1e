import { choose, everything, listen, notices, told } from "./change-support";
import { expect, test } from "./explorer-support";

test("where versions are kept, it is deleted at once, and Undo brings it back", async ({
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
