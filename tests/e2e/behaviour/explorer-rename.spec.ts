import { choose, dialog, everything, listen, panel, question, told } from "../change-support";
import { expect, test } from "../explorer-support";

test("a file is renamed in place, with only its stem selected", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("notes.txt", "x");
  await integrator.bucket.put("zebra.txt", "x");
  await listen(page);
  const { frame, row, names } = await openExplorer({ scope: everything });
  await row("notes.txt").focus();
  await page.keyboard.press("F2");
  const field = frame.getByRole("textbox", { name: "New name of notes.txt" });
  await expect(field).toBeFocused();
  await page.keyboard.type("plan");
  await expect(field).toHaveValue("plan.txt");
  await page.keyboard.press("Enter");
  await expect(row("plan.txt")).toBeFocused();
  await expect(row("plan.txt")).toHaveAttribute("aria-selected", "true");
  await expect.poll(names).toEqual(["plan.txt", "zebra.txt"]);
  expect(await integrator.bucket.list()).toEqual(["plan.txt", "zebra.txt"]);
  await expect
    .poll(() => told(page))
    .toMatchObject([
      { action: "rename", items: [{ key: "notes.txt" }], to: "/", name: "plan.txt", done: 1, failed: [] },
    ]);
});

test("the field reports taken and invalid names, and Escape cancels", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "a");
  await integrator.bucket.put("b.txt", "b");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  // Another person makes it meanwhile: the list does not know.
  await integrator.bucket.put("c.txt", "c");
  await choose(explorer, "a.txt", "Rename");
  const field = frame.getByRole("textbox", { name: "New name of a.txt" });
  const problem = frame.getByRole("alert");
  await field.fill("b.txt");
  await field.press("Enter");
  await expect(problem).toHaveText("“b.txt” is already here.");
  await field.fill("x/y");
  await field.press("Enter");
  await expect(problem).toHaveText("A name cannot contain / or \\.");
  await field.fill("c.txt");
  await field.press("Enter");
  await expect(problem).toHaveText("“c.txt” is already here.");
  await expect(field).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(row("a.txt")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(["a.txt", "b.txt", "c.txt"]);
});

test("a file that was renamed or deleted elsewhere meanwhile is said to be gone", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await integrator.bucket.remove("a.txt");
  await choose(explorer, "a.txt", "Rename");
  await page.keyboard.type("plan");
  await page.keyboard.press("Enter");
  await expect(panel(frame)).toContainText("Renaming a.txt to plan.txt");
  await expect(panel(frame)).toContainText("It is no longer there.");
  await expect(row("a.txt")).toHaveCount(0);
});

test("Escape keeps the name, also with a new one in the field", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "a");
  const explorer = await openExplorer({ scope: everything });
  const { row, frame } = explorer;
  const field = frame.getByRole("textbox", { name: "New name of a.txt" });
  for (const open of [() => row("a.txt").press("F2"), () => choose(explorer, "a.txt", "Rename")]) {
    await open();
    await field.fill("escaped.txt");
    await page.keyboard.press("Escape");
    await expect(field).toHaveCount(0);
    await expect(row("a.txt")).toBeFocused();
  }
  // A renaming would be under way, and this one comes after it.
  await row("a.txt").press("F2");
  await field.fill("b.txt");
  await page.keyboard.press("Enter");
  await expect(row("b.txt")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(["b.txt"]);
});

test("what is typed right after F2 is the name", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a long name.txt", "a");
  await integrator.bucket.put("b.txt", "b");
  const { row, frame } = await openExplorer({ scope: everything });
  await row("a long name.txt").click();
  await page.keyboard.press("F2");
  await expect(frame.getByRole("textbox", { name: "New name of a long name.txt" })).toBeFocused();
  await page.keyboard.type("quick");
  await page.keyboard.press("Enter");
  await expect(row("quick.txt")).toBeFocused();
  await expect(frame.getByRole("textbox", { name: /^New name of/ })).toHaveCount(0);
  await page.keyboard.press("F2");
  await page.keyboard.type("again");
  await page.keyboard.press("Enter");
  await expect(row("again.txt")).toBeFocused();
});

test("another extension is asked about once, and can be left as it was", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["a.txt", "b.txt", "docs/c.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  const rename = async (before: string, after: string) => {
    await row(before).click();
    await page.keyboard.press("F2");
    await frame.getByRole("textbox", { name: `New name of ${before}` }).fill(after);
    await page.keyboard.press("Enter");
  };
  await rename("a.txt", "plan.pdf");
  await expect(question(frame)).toContainText("Change the extension of “a.txt”?");
  await page.keyboard.press("Escape");
  const field = frame.getByRole("textbox", { name: "New name of a.txt" });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("plan.pdf");
  await page.keyboard.press("Enter");
  await question(frame).getByRole("button", { name: "Keep .txt" }).click();
  await expect(row("plan.txt")).toBeFocused();

  await rename("b.txt", "report.pdf");
  await question(frame).getByRole("button", { name: "Use .pdf" }).click();
  await expect(row("report.pdf")).toBeFocused();
  await rename("report.pdf", "report.PDF");
  await expect(row("report.PDF")).toBeFocused();
  await rename("docs", "docs.old");
  await expect(row("docs.old")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(["docs.old/c.txt", "plan.txt", "report.PDF"]);
});

test("renaming a folder moves everything in it", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("old/a.txt", "a");
  await integrator.bucket.put("old/deep/b.txt", "b");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await choose(explorer, "old", "Rename");
  await frame.getByRole("textbox", { name: "New name of old" }).fill("new");
  await frame.getByRole("textbox", { name: "New name of old" }).press("Enter");
  await expect(row("new")).toBeFocused();
  await expect(row("old")).toHaveCount(0);
  expect(await integrator.bucket.list()).toEqual(["new/a.txt", "new/deep/b.txt"]);
});

test("a new folder is created, and is the only selected row", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a/b.txt", "x");
  await listen(page);
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a").getByRole("checkbox").check();
  await frame.getByRole("button", { name: "New folder" }).click();
  await dialog(frame).getByRole("textbox").fill("a");
  await dialog(frame).getByRole("button", { name: "Create" }).click();
  await expect(frame.getByText("“a” is already here.")).toBeVisible();
  await dialog(frame).getByRole("textbox").fill("Invoices 2027");
  await page.keyboard.press("Enter");
  await expect(dialog(frame)).toHaveCount(0);
  await expect(row("Invoices 2027")).toBeFocused();
  await expect(row("Invoices 2027")).toHaveAttribute("aria-selected", "true");
  await expect(row("a")).toHaveAttribute("aria-selected", "false");
  expect(await integrator.bucket.list()).toEqual(["Invoices 2027/", "a/b.txt"]);
  await expect
    .poll(() => told(page))
    .toMatchObject([{ action: "create-folder", items: [{ folderPath: "/Invoices 2027" }] }]);
});

test("keys act on the selection, wherever the focus is", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.keepVersions();
  for (const key of ["a.txt", "b.txt", "c.txt", "d.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("b.txt").getByRole("checkbox").check();
  await page.keyboard.press("Control+c");
  await expect(frame.getByRole("region", { name: "Clipboard" })).toContainText("b.txt");
  await row("c.txt").focus();
  await page.keyboard.press("F2");
  await expect(frame.getByRole("textbox", { name: "New name of b.txt" })).toBeFocused();
  await page.keyboard.press("Escape");
  await frame.getByRole("button", { name: "Refresh" }).focus();
  await page.keyboard.press("Delete");
  await expect(row("b.txt")).toHaveCount(0);
  // Nothing is selected any more.
  await row("c.txt").click();
  await page.keyboard.press("Delete");
  await expect(row("c.txt")).toHaveCount(0);
  expect(await integrator.bucket.list()).toEqual(["a.txt", "d.txt"]);
});

test("a result does not replace what the person has selected meanwhile", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["a.txt", "b.txt"]) await integrator.bucket.put(key, "x");
  const { row } = await openExplorer({ scope: everything });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/embed/storage/copy", async (route) => {
    await released;
    await route.continue();
  });
  await row("a.txt").click();
  await page.keyboard.press("Control+c");
  const sent = page.waitForRequest("**/api/embed/storage/copy");
  await page.keyboard.press("Control+v");
  await sent;
  await row("b.txt").click();
  release();
  await expect(row("a (1).txt")).toBeVisible();
  await expect(row("a (1).txt")).toHaveAttribute("aria-selected", "false");
  await expect(row("b.txt")).toHaveAttribute("aria-selected", "true");
  await expect(row("b.txt")).toBeFocused();
});
