import { choose, dialog, everything, listen, told } from "./change-support";
import { expect, test } from "./explorer-support";

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
  expect(await names()).toEqual(["plan.txt", "zebra.txt"]);
  expect(await integrator.bucket.list()).toEqual(["plan.txt", "zebra.txt"]);
  expect(await told(page)).toMatchObject([
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

test("a new folder is created and gets the focus", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a/b.txt", "x");
  await listen(page);
  const { frame, row } = await openExplorer({ scope: everything });
  await frame.getByRole("button", { name: "New folder" }).click();
  await dialog(frame).getByRole("textbox").fill("a");
  await dialog(frame).getByRole("button", { name: "Create" }).click();
  await expect(frame.getByText("“a” is already here.")).toBeVisible();
  await dialog(frame).getByRole("textbox").fill("Invoices 2027");
  await page.keyboard.press("Enter");
  await expect(dialog(frame)).toHaveCount(0);
  await expect(row("Invoices 2027")).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(["Invoices 2027/", "a/b.txt"]);
  expect(await told(page)).toMatchObject([
    { action: "create-folder", items: [{ folderPath: "/Invoices 2027" }] },
  ]);
});
