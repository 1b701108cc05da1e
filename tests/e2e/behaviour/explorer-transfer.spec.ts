import { choose, dialog, everything, listen, menuItem, question, told } from "../change-support";
import { expect, type Fixtures, test } from "../explorer-support";
import type { Integrator } from "../integrator";

test("the dialog moves a file, with keyboard navigation of the tree and a new folder", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("report.txt", "the report");
  await integrator.bucket.put("other.txt", "x");
  await integrator.bucket.put("docs/old/a.txt", "x");
  await listen(page);
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await choose(explorer, "report.txt", "Move to");
  const tree = frame.getByRole("tree", { name: "Folders" });
  const item = (name: string) => tree.getByRole("treeitem", { name, exact: true });
  await expect(item("docs")).toBeVisible();
  await expect(frame.getByText("Already in this folder.")).toBeVisible();
  await item("Files").focus();
  await page.keyboard.press("ArrowDown");
  await expect(item("docs")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(item("old")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(item("old")).toBeFocused();
  await expect(item("old")).toHaveAttribute("aria-level", "3");
  await page.keyboard.press("ArrowLeft");
  await expect(item("docs")).toBeFocused();
  await dialog(frame).getByRole("button", { name: "New folder" }).click();
  await dialog(frame).getByRole("textbox", { name: "New folder in docs" }).fill("2027");
  await page.keyboard.press("Enter");
  await expect(item("2027")).toHaveAttribute("aria-selected", "true");
  await dialog(frame).getByRole("button", { name: "Move here" }).click();
  await expect(row("report.txt")).toHaveCount(0);
  await expect(row("other.txt")).toBeFocused();
  await expect.poll(() => integrator.bucket.list()).toContain("docs/2027/report.txt");
  expect((await integrator.bucket.get("docs/2027/report.txt"))?.toString()).toBe("the report");
  await expect
    .poll(async () => (await told(page)).at(-1))
    .toMatchObject({
      action: "move",
      items: [{ key: "report.txt" }],
      to: "/docs/2027",
      done: 1,
    });
});

/** Copies three files into a folder that has two of these names; new ones are `new`, those that were there `old`. */
async function copyThree(
  { integrator, openExplorer }: Fixtures & { integrator: Integrator },
  scope: object = everything,
) {
  for (const name of ["a.txt", "b.txt", "c.txt"]) await integrator.bucket.put(name, "new");
  for (const name of ["a.txt", "b.txt"]) await integrator.bucket.put(`in/${name}`, "old");
  const { frame, row } = await openExplorer({ scope });
  await row("a.txt").focus();
  await row("a.txt").press("Shift+End");
  const copy = async () => {
    await frame.getByRole("contentinfo").getByRole("button", { name: "More" }).click();
    await menuItem(frame, "Copy to").click();
    await frame.getByRole("treeitem", { name: "in" }).click();
    await dialog(frame).getByRole("button", { name: "Copy here" }).click();
    await expect(question(frame)).toContainText("2 of these names are already there");
  };
  const answer = (name: string) => question(frame).getByRole("button", { name }).click();
  const text = async (key: string) => (await integrator.bucket.get(key))?.toString();
  return { frame, copy, answer, text };
}

test("taken names are asked about once, and can be cancelled or skipped", async ({
  integrator,
  openExplorer,
}) => {
  const { frame, copy, answer, text } = await copyThree({ integrator, openExplorer });
  await copy();
  await answer("Cancel");
  await expect(question(frame)).toHaveCount(0);
  expect(await text("in/c.txt")).toBeUndefined();
  await copy();
  await answer("Skip");
  await expect.poll(() => text("in/c.txt")).toBe("new");
  expect(await text("in/a.txt")).toBe("old");
});

for (const [name, first, second] of [
  ["Keep both", "old", "new"],
  ["Replace", "new", undefined],
] as const) {
  test(`taken names are asked about once, and the answer can be: ${name}`, async ({
    integrator,
    openExplorer,
  }) => {
    const { copy, answer, text } = await copyThree({ integrator, openExplorer });
    await copy();
    await answer(name);
    await expect.poll(() => text("in/c.txt")).toBe("new");
    await expect.poll(() => text("in/b.txt")).toBe(first);
    await expect.poll(() => text("in/b (1).txt")).toBe(second);
    expect([await text("in/a.txt"), await text("in/a (1).txt")]).toEqual([first, second]);
  });
}

test("taken names cannot be replaced by a visitor who may neither upload nor delete", async ({
  integrator,
  openExplorer,
}) => {
  const scope = { actions: ["download", "organize"] };
  const { frame, copy, answer, text } = await copyThree({ integrator, openExplorer }, scope);
  await copy();
  await expect(question(frame).getByRole("button")).toHaveText(["Cancel", "Skip", "Keep both"]);
  await answer("Keep both");
  await expect.poll(() => text("in/b (1).txt")).toBe("new");
  expect(await text("in/b.txt")).toBe("old");
});
