import { choose, dialog, everything, listen, notices, panel, question, told } from "../change-support";
import { expect, test } from "../explorer-support";
import { showDeleted } from "../past-support";

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
  await expect(row("docs")).toHaveAttribute("aria-selected", "true");
  expect(await integrator.bucket.list()).toEqual(["a.txt", "docs/b.txt", "docs/c.txt"]);

  await row("a.txt").click();
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

/** Reads the names in a folder of the bucket, without the objects that keep empty folders. */
const stored = async ({ list }: { list(): Promise<string[]> }) =>
  (await list()).filter((key) => !key.endsWith("/"));

test("moving, renaming, copying and new folders are undone one after the other by Ctrl+Z, and redone", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  for (const key of ["a.txt", "b.txt", "docs/c.txt"]) await bucket.put(key, `text of ${key}`);
  await listen(page);
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, names } = explorer;
  const says = (sentence: string) => expect(notices(frame)).toContainText(sentence);

  await row("a.txt").focus();
  await page.keyboard.press("Control+x");
  await row("docs").dblclick();
  await expect(row("c.txt")).toBeFocused();
  await page.keyboard.press("Control+v");
  await says("a.txt moved to docs");
  await frame.getByRole("navigation").getByRole("button", { name: "Files" }).click();
  await expect(row("b.txt")).toBeVisible();
  await expect(notices(frame), "it is about the other folder").toHaveCount(0);

  await row("b.txt").focus();
  await page.keyboard.press("F2");
  await frame.getByRole("textbox", { name: "New name of b.txt" }).fill("plan.txt");
  await page.keyboard.press("Enter");
  await says("Renamed to plan.txt");
  await expect(row("plan.txt")).toBeFocused();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await says("plan.txt copied to Files");
  await expect(row("plan (1).txt")).toBeVisible();
  await frame.getByRole("button", { name: "New folder" }).click();
  await dialog(frame).getByRole("textbox").fill("new");
  await page.keyboard.press("Enter");
  await says("Folder new created");
  await expect(row("new")).toBeFocused();
  const changed = ["docs/a.txt", "docs/c.txt", "plan (1).txt", "plan.txt"];
  expect(await stored(bucket)).toEqual(changed);

  await page.keyboard.press("Control+z");
  await says("Undone: Folder new created");
  await expect(row("new")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await says("Undone: plan.txt copied to Files");
  await expect(row("plan (1).txt")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await says("Undone: Renamed to plan.txt");
  await expect(row("b.txt")).toBeFocused();
  await expect(row("b.txt")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Control+z");
  await says("Undone: a.txt moved to docs");
  await expect(row("a.txt")).toBeFocused();
  await expect.poll(names).toEqual(["docs", "a.txt", "b.txt"]);
  expect(await stored(bucket)).toEqual(["a.txt", "b.txt", "docs/c.txt"]);
  await page.keyboard.press("Control+z");
  await says("Nothing to undo");
  await expect(frame.getByRole("status")).toHaveText("Nothing to undo");

  await page.keyboard.press("Control+Shift+Z");
  await says("Redone: a.txt moved to docs");
  await page.keyboard.press("Control+y");
  await says("Redone: Renamed to plan.txt");
  await notices(frame).getByRole("button", { name: "Undo" }).click();
  await says("Undone: Renamed to plan.txt");
  await notices(frame).getByRole("button", { name: "Redo" }).click();
  await says("Redone: Renamed to plan.txt");
  await page.keyboard.press("Control+y");
  await says("Redone: plan.txt copied to Files");
  await page.keyboard.press("Control+y");
  await says("Redone: Folder new created");
  expect(await stored(bucket)).toEqual(changed);
  await page.keyboard.press("Control+y");
  await says("Nothing to redo");
  expect((await told(page)).slice(4, 8).map(({ action, name }) => `${action} ${name ?? ""}`)).toEqual([
    "delete ",
    "delete ",
    "rename b.txt",
    "move ",
  ]);
});

test("deleting and restoring are undone one after the other by Ctrl+Z", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  for (const key of ["a.txt", "docs/b.txt"]) await integrator.bucket.put(key, `text of ${key}`);
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await expect(notices(frame)).toContainText("2 items deleted");
  await showDeleted(frame);
  await frame.getByRole("button", { name: "Restore everything" }).click();
  await expect(notices(frame)).toContainText("2 items restored");
  await frame.getByRole("button", { name: "Back to current files" }).click();
  await expect(row("docs")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Undone: 2 items restored");
  expect(await integrator.bucket.list()).toEqual([]);
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Undone: 2 items deleted");
  expect(await integrator.bucket.list()).toEqual(["a.txt", "docs/b.txt"]);
});

test("Ctrl+Z says that there is nothing to undo also before anything was changed", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  // Before the page knows that the frame has the focus, keys go to the page.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("IFRAME");
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Nothing to undo");
  await expect(row("a.txt")).toBeFocused();
  await notices(frame).getByRole("button", { name: "Dismiss" }).click();
  await expect(notices(frame)).toHaveCount(0);
  // On a Greek keyboard.
  await row("a.txt").dispatchEvent("keydown", { key: "ζ", code: "KeyZ", ctrlKey: true });
  await expect(notices(frame)).toContainText("Nothing to undo");
});

test("undoing a change of another folder leaves focus and selection where they are", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  for (const key of ["a.txt", "docs/c.txt", "other/x.txt", "other/y.txt", "other/z.txt"])
    await bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Control+x");
  await row("docs").dblclick();
  await expect(row("c.txt")).toBeFocused();
  await page.keyboard.press("Control+v");
  await expect(notices(frame)).toContainText("a.txt moved to docs");
  await page.keyboard.press("Backspace");
  await row("other").dblclick();
  await expect(row("x.txt")).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Undone: a.txt moved to docs");
  await expect(row("x.txt")).toBeFocused();
  await expect(row("x.txt")).toHaveAttribute("aria-selected", "true");
  expect(await bucket.get("a.txt")).not.toBeNull();
});

test("undoing replaces nothing that has appeared meanwhile, and can be tried again", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.put("a.txt", "mine");
  await bucket.put("docs/c.txt", "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("a.txt").focus();
  await page.keyboard.press("F2");
  await frame.getByRole("textbox", { name: "New name of a.txt" }).fill("z.txt");
  await page.keyboard.press("Enter");
  await expect(row("z.txt")).toBeFocused();
  await bucket.put("a.txt", "somebody else's");
  await page.keyboard.press("Control+z");
  const failed = panel(frame).getByRole("listitem");
  await expect(failed).toContainText("Undoing: Renamed to z.txt");
  await expect(failed.getByRole("alert")).toHaveText("This name is already there.");
  await expect(frame.getByRole("status")).toHaveText("This name is already there.");
  await expect(dialog(frame)).toHaveCount(0);
  expect(String(await bucket.get("a.txt"))).toBe("somebody else's");
  expect(String(await bucket.get("z.txt"))).toBe("mine");
  await bucket.remove("a.txt");
  await panel(frame).getByRole("button", { name: "Try again" }).click();
  await expect(notices(frame)).toContainText("Undone: Renamed to z.txt");
  expect(String(await bucket.get("a.txt"))).toBe("mine");
});

test("a copy that somebody has changed since is left, and the person is told", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  for (const key of ["a.txt", "b.txt"]) await bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await expect(row("b (1).txt")).toBeVisible();
  await bucket.put("a (1).txt", "changed");
  await page.keyboard.press("Control+z");
  const failed = panel(frame).getByRole("listitem").first();
  await expect(failed).toContainText("Undoing: 2 items copied to Files");
  await expect(failed).toContainText("a (1).txt It has been changed since.");
  await expect(panel(frame).getByRole("button", { name: "Try again" }), "to no avail").toHaveCount(0);
  await expect(row("b (1).txt")).toHaveCount(0);
  await expect(row("a (1).txt")).toBeVisible();
  expect(await bucket.list()).toEqual(["a (1).txt", "a.txt", "b.txt"]);
});

test("what cannot be undone is said", async ({ integrator, openExplorer, page }) => {
  const { bucket } = integrator;
  for (const key of ["a.txt", "b.txt"]) await bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("F2");
  await frame.getByRole("textbox", { name: "New name of a.txt" }).fill("c.txt");
  await page.keyboard.press("Enter");
  await expect(row("c.txt")).toBeFocused();
  await row("b.txt").click();
  await page.keyboard.press("Delete");
  await question(frame).getByRole("button", { name: "Delete for good" }).click();
  await expect(notices(frame)).toContainText("b.txt deleted");
  await expect(notices(frame).getByRole("button", { name: "Undo" })).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("This cannot be undone: b.txt deleted");
  await page.keyboard.press("Control+z");
  await expect(notices(frame), "the change before it can").toContainText("Undone: Renamed to c.txt");
  expect(await bucket.list()).toEqual(["a.txt"]);
});

test("undoing a move that has replaced a file says that it is gone", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.put("a.txt", "new");
  await bucket.put("docs/a.txt", "old");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Control+x");
  await row("docs").dblclick();
  await expect(row("a.txt")).toBeFocused();
  await page.keyboard.press("Control+v");
  await question(frame).getByRole("button", { name: "Replace" }).click();
  await expect(notices(frame)).toContainText("a.txt moved to docs");
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText(
    "Undone: a.txt moved to docs · What was replaced cannot be brought back.",
  );
  expect(String(await bucket.get("a.txt"))).toBe("new");
  expect(await stored(bucket)).toEqual(["a.txt"]);
});

test("a token that may not delete can undo moves, but no copies", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: { actions: ["organize"] } });
  await row("a.txt").focus();
  await page.keyboard.press("F2");
  await frame.getByRole("textbox", { name: "New name of a.txt" }).fill("b.txt");
  await page.keyboard.press("Enter");
  await expect(row("b.txt")).toBeFocused();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await expect(notices(frame)).toContainText("b.txt copied to Files");
  await expect(notices(frame).getByRole("button", { name: "Undo" })).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("This cannot be undone: b.txt copied to Files");
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Undone: Renamed to b.txt");
  expect(await integrator.bucket.list()).toEqual(["a.txt", "b (1).txt"]);
});

test("Ctrl+Z in a text field is the field's own", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("F2");
  await frame.getByRole("textbox", { name: "New name of a.txt" }).fill("b.txt");
  await page.keyboard.press("Enter");
  await expect(row("b.txt")).toBeFocused();
  await frame.getByRole("searchbox", { name: "Search" }).focus();
  await page.keyboard.press("Control+z");
  await expect(notices(frame)).toContainText("Renamed to b.txt");
  expect(await integrator.bucket.list()).toEqual(["b.txt"]);
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
    await row("a.txt").click();
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

test("a key that is held down deletes once, and what was not selected is never deleted", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  for (const key of ["a.txt", "b.txt", "c.txt"]) await integrator.bucket.put(key, key);
  const { row, frame } = await openExplorer({ scope: everything });
  await row("a.txt").click();
  // Down again without up: a repetition, as the browser tells it.
  for (let times = 0; times < 10; times++) await page.keyboard.down("Delete");
  await page.keyboard.up("Delete");
  await expect(notices(frame)).toContainText("a.txt deleted");
  await expect(row("b.txt")).toBeFocused();
  await expect(row("b.txt")).toHaveAttribute("aria-selected", "false");
  await page.keyboard.press("Delete");
  // Space comes after it, and selects what would be gone.
  await page.keyboard.press("Space");
  await expect(row("b.txt")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Delete");
  await expect(notices(frame)).toContainText("b.txt deleted");
  expect(await integrator.bucket.list()).toEqual(["c.txt"]);
});

test("deletions in a row are undone one after the other, also if each was asked for twice", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  const names = Array.from({ length: 6 }, (_, index) => `file-${index}.txt`);
  for (const key of names) await integrator.bucket.put(key, key);
  const explorer = await openExplorer({ scope: everything });
  const { row } = explorer;
  for (const name of names) {
    await row(name).click();
    await page.keyboard.press("Delete");
    await page.keyboard.press("Delete");
    await expect(row(name)).toHaveCount(0);
  }
  expect(await integrator.bucket.list()).toEqual([]);
  for (const _ of names) await page.keyboard.press("Control+z");
  await expect.poll(explorer.names).toEqual(names);
  expect(await integrator.bucket.list()).toEqual(names);
});
