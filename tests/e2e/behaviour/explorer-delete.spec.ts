import { choose, everything, listen, notices, question, told } from "../change-support";
import { expect, test } from "../explorer-support";

test("on a bucket without versioning, the explorer asks first, and deleted files are gone", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["a.txt", "b.txt", "c.txt", "docs/d.txt"]) await integrator.bucket.put(key, "x");
  await listen(page);
  const { frame, row, names } = await openExplorer({ scope: everything });
  await row("b.txt").click();
  await page.keyboard.press("Delete");
  await expect(question(frame)).toContainText("Delete “b.txt” for good?");
  await expect(question(frame)).toContainText("this cannot be undone");
  await expect(question(frame).getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(row("b.txt")).toBeFocused();
  expect(await integrator.bucket.list()).toHaveLength(4);

  await page.keyboard.press("Delete");
  await question(frame).getByRole("button", { name: "Delete for good" }).click();
  await expect(notices(frame)).toContainText("b.txt deleted");
  await expect(notices(frame).getByRole("button", { name: "Undo" })).toHaveCount(0);
  await expect(row("c.txt")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(["a.txt", "c.txt", "docs/d.txt"]);
  await expect
    .poll(() => told(page))
    .toMatchObject([{ action: "delete", items: [{ key: "b.txt" }], done: 1 }]);

  await row("docs").hover();
  await row("docs").getByRole("checkbox").check();
  await row("a.txt").hover();
  await row("a.txt").getByRole("checkbox").check();
  await frame.getByRole("contentinfo").getByRole("button", { name: "Delete" }).click();
  await expect(question(frame)).toContainText("Delete 2 items for good?");
  await expect(question(frame)).toContainText("Everything in a folder is deleted with it.");
  await question(frame).getByRole("button", { name: "Delete 2 for good" }).click();
  await expect(row("docs")).toHaveCount(0);
  await expect.poll(names).toEqual(["c.txt"]);
  await expect.poll(() => integrator.bucket.list()).toEqual(["c.txt"]);
});

test("a file that was deleted elsewhere meanwhile is said to be gone, by its name", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await integrator.bucket.remove("a.txt");
  await choose(explorer, "a.txt", "Delete");
  await question(frame).getByRole("button", { name: "Delete for good" }).click();
  await expect(notices(frame)).toContainText("a.txt · It is no longer there.");
  await expect(row("a.txt")).toHaveCount(0);
});

test("files that could not be deleted are listed and can be retried", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["a.txt", "b.txt"]) await integrator.bucket.put(key, "x");
  await page.route("**/api/embed/storage/delete", async (route) => {
    if (route.request().postDataJSON().check) return route.continue();
    await route.fulfill({
      json: {
        done: 1,
        failed: [{ key: "b.txt", code: "provider_failed" }],
        cursor: null,
        undo: null,
        undoable: false,
      },
    });
  });
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await question(frame).getByRole("button", { name: "Delete 2 for good" }).click();
  const changes = frame.getByRole("region", { name: "Changes" });
  await expect(changes).toContainText("1 file was left as it was.");
  await expect(changes).toContainText("b.txt The file store could not make this change.");
  await expect(row("b.txt"), "it is in the list again").toBeVisible();
  await page.unroute("**/api/embed/storage/delete");
  await changes.getByRole("button", { name: "Try again" }).click();
  await expect(question(frame)).toContainText("Delete “b.txt” for good?");
  await question(frame).getByRole("button", { name: "Delete for good" }).click();
  await expect(changes).toHaveCount(0);
  await expect.poll(() => integrator.bucket.list()).toEqual(["a.txt"]);
});
