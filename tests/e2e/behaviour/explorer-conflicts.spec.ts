import { dialog, everything, menuItem, question, violations } from "../change-support";
import { expect, manyFiles, test } from "../explorer-support";
import { choose, line, makeFolder, title, uploads } from "../upload-support";

const text = (name: string, content = "new, and longer") => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(content),
});

test.describe("names that are taken", () => {
  test.use({ allowedConsole: [/Failed to load resource: the server responded with a status of (409|412)/] });

  test("are compared in one table, and decided file by file", async ({ integrator, openExplorer, page }) => {
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) await integrator.bucket.put(name, "old");
    const { frame } = await openExplorer();
    await choose(
      frame,
      ["a.txt", "b.txt", "c.txt", "d.txt"].map((name) => text(name)),
    );
    await expect(title(frame, "4 uploads need attention")).toBeVisible();
    // The lines would fill the list: the table has them.
    await expect(uploads(frame).getByRole("listitem")).toHaveCount(0);
    await uploads(frame).getByRole("button", { name: "Compare" }).press("Enter");
    const table = dialog(frame).getByRole("table");
    await expect(table.getByRole("columnheader")).toHaveText(["Already there", "New"]);
    const sides = table.getByRole("rowgroup").filter({ hasText: "a.txt" }).getByRole("cell");
    await expect(sides.nth(0)).toContainText("3 bytes");
    await expect(sides.nth(1)).toContainText("15 bytes");
    await expect(sides.getByRole("time")).toHaveCount(2);
    await dialog(frame).getByRole("checkbox", { name: "Choose for each file" }).press("Space");
    await dialog(frame).getByLabel("What to do with a.txt").selectOption("Replace");
    await dialog(frame).getByLabel("What to do with b.txt").selectOption("Skip");
    expect(await violations(page)).toEqual([]);
    await dialog(frame).getByRole("button", { name: "Continue" }).press("Enter");
    await expect(title(frame, "3 uploads finished")).toBeVisible();
    const content = async (key: string) => String(await integrator.bucket.get(key));
    expect(await content("a.txt")).toBe("new, and longer");
    expect(await content("b.txt")).toBe("old");
    expect(await content("c.txt")).toBe("old");
    expect(await content("c (1).txt")).toBe("new, and longer");
    expect(await content("d (1).txt")).toBe("new, and longer");
  });

  test("in another folder than the open one are asked about with that folder's name", async ({
    integrator,
    openExplorer,
  }) => {
    for (const key of ["a.txt", "docs/b.txt"]) await integrator.bucket.put(key, "old");
    const { frame, row } = await openExplorer();
    await choose(frame, text("a.txt"));
    await expect(line(frame, "a.txt")).toContainText(/^a\.txtA file of this name is already here\./);
    await row("docs").dblclick();
    await expect(row("b.txt")).toBeVisible();
    await expect(line(frame, "a.txt")).toContainText("Files · A file of this name is already here.");
    await choose(frame, text("c.txt"));
    await expect(line(frame, "c.txt")).toContainText(/^c\.txt15 bytes/);
  });

  test("are still asked about after Escape in the comparison, which opens again only when asked for", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    for (const name of ["a.txt", "b.txt"]) await integrator.bucket.put(name, "old");
    const { frame } = await openExplorer();
    await choose(frame, [text("a.txt"), text("b.txt")]);
    const compare = uploads(frame).getByRole("button", { name: "Compare" }).first();
    await compare.press("Enter");
    await expect(dialog(frame)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog(frame)).toHaveCount(0);
    await expect(compare).toBeFocused();
    await compare.press("Enter");
    await expect(dialog(frame)).toBeVisible();
    await dialog(frame).getByRole("button", { name: "Skip" }).press("Enter");
    await expect(dialog(frame)).toHaveCount(0);
    await choose(frame, text("a.txt"));
    await expect(title(frame, "1 upload needs attention")).toBeVisible();
    await expect(dialog(frame)).toHaveCount(0);
  });

  const names = Array.from({ length: 300 }, (_, index) => `${index}.txt`);
  test.describe("in a folder", () => {
    test.use({ initialObjects: manyFiles(names.length, (index) => [`in/${names[index]}`, "old"]) });

    test("of 300 files in a folder are asked about once", async ({ integrator, openExplorer }, testInfo) => {
      test.setTimeout(120_000);
      const { frame, row } = await openExplorer();
      await expect(row("in")).toBeVisible();
      // The list does not show the files of that folder, so the store finds the conflicts one after the other.
      const folder = testInfo.outputPath("in");
      makeFolder(folder, Object.fromEntries([...names, "free.txt"].map((name) => [name, "new, and longer"])));
      await frame.getByLabel("Upload folder").setInputFiles(folder);
      await uploads(frame).getByRole("button", { name: "Compare" }).first().click();
      await expect(dialog(frame).getByRole("cell").first()).toContainText("3 bytes");
      await dialog(frame).getByRole("button", { name: "Skip" }).click();
      await expect(title(frame, "1 upload finished")).toBeVisible({ timeout: 60_000 });
      await expect(dialog(frame)).toHaveCount(0);
      expect(String(await integrator.bucket.get("in/299.txt"))).toBe("old");
    });
  });
});

test("copies are compared with what is there, and decided one by one", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const name of ["a.txt", "b.txt", "c.txt"]) await integrator.bucket.put(name, "new, and longer");
  for (const name of ["a.txt", "b.txt", "c.txt"]) await integrator.bucket.put(`in/${name}`, "old");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await row("a.txt").press("Shift+End");
  await frame.getByRole("contentinfo").getByRole("button", { name: "More" }).click();
  await menuItem(frame, "Copy to").click();
  await frame.getByRole("treeitem", { name: "in" }).click();
  await dialog(frame).getByRole("button", { name: "Copy here" }).click();
  const sides = question(frame).getByRole("rowgroup").filter({ hasText: "a.txt" }).getByRole("cell");
  await expect(sides).toContainText([/^3 bytes/, /^15 bytes/]);
  await question(frame).getByRole("checkbox", { name: "Choose for each file" }).check();
  await question(frame).getByLabel("What to do with a.txt").selectOption("Replace");
  await question(frame).getByLabel("What to do with b.txt").selectOption("Skip");
  expect(await violations(page)).toEqual([]);
  await question(frame).getByRole("button", { name: "Continue" }).click();
  const content = async (key: string) => (await integrator.bucket.get(key))?.toString();
  await expect.poll(() => content("in/c (1).txt")).toBe("new, and longer");
  expect(await content("in/a.txt")).toBe("new, and longer");
  expect(await content("in/b.txt")).toBe("old");
  expect(await content("in/c.txt")).toBe("old");
});
