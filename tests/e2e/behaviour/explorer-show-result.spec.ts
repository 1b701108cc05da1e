/** "Show" in the notice of a change: it leads to what was put somewhere else, selects it and scrolls to it. */
import { choose, everything, notices, violations } from "../change-support";
import { expect, manyFiles, type OpenExplorer, test } from "../explorer-support";
import { showDeleted } from "../past-support";

const show = ({ frame }: OpenExplorer) => notices(frame).getByRole("button", { name: "Show" });
const heading = ({ frame }: OpenExplorer, name: string) =>
  frame.getByRole("grid", { name: `Contents of ${name}` });

async function expectShown(explorer: OpenExplorer, folder: string, names: string[]): Promise<void> {
  await expect(heading(explorer, folder)).toBeVisible();
  for (const name of names) await expect(explorer.row(name)).toHaveAttribute("aria-selected", "true");
  await expect(explorer.row(names[0] ?? "")).toBeFocused();
  await expect(explorer.row(names[0] ?? "")).toBeInViewport({ ratio: 1 });
  await expect(explorer.frame.getByRole("contentinfo")).toContainText(`${names.length} selected`);
}

test.describe("in a folder of many files", () => {
  test.use({
    initialObjects: {
      ...manyFiles(300, (index) => `docs/file ${String(index).padStart(3, "0")}.txt`),
      "m one.txt": "1",
      "m two.txt": "2",
    },
  });

  test("what was moved, and what its undoing has brought back, is shown", async ({ openExplorer, page }) => {
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await row("m one.txt").press("Space");
    await row("m two.txt").press("Space");
    await frame.getByRole("contentinfo").getByRole("button", { name: "Move", exact: true }).click();
    const dialog = frame.getByRole("dialog");
    await dialog.getByRole("treeitem", { name: "docs" }).click();
    await dialog.getByRole("button", { name: "Move here" }).click();
    await expect(notices(frame)).toContainText("2 items moved to docs");
    expect(await violations(page)).toEqual([]);
    await show(explorer).press("Enter");
    await expectShown(explorer, "docs", ["m one.txt", "m two.txt"]);

    await page.keyboard.press("Control+z");
    await expect(notices(frame)).toContainText("Undone: 2 items moved to docs");
    await show(explorer).click();
    await expectShown(explorer, "Files", ["m one.txt", "m two.txt"]);
    await expect(show(explorer)).toHaveCount(0);
  });
});

test.describe("of few files", () => {
  test.use({ initialObjects: { "docs/plan.txt": "x", "docs/deep/report.txt": "y", "a.txt": "z" } });

  test("what was restored is shown in the folder that it was in", async ({ integrator, openExplorer }) => {
    await integrator.bucket.keepVersions();
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await row("docs").dblclick();
    await choose(explorer, "plan.txt", "Delete");
    await expect(notices(frame)).toContainText("plan.txt deleted");
    await frame.getByRole("navigation").getByRole("button", { name: "Files" }).click();
    await showDeleted(frame);
    await row("plan.txt").getByRole("button", { name: "Restore plan.txt" }).click();
    await show(explorer).click();
    await expectShown(explorer, "docs", ["plan.txt"]);
    await expect(frame.getByRole("region", { name: "The past" })).toHaveCount(0);
  });

  test("what was renamed among search results is shown in its folder", async ({ openExplorer, page }) => {
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await frame.getByRole("searchbox", { name: "Search" }).fill("report");
    await row("report.txt").focus();
    await page.keyboard.press("F2");
    await frame.getByRole("textbox", { name: "New name of report.txt" }).fill("summary.txt");
    await page.keyboard.press("Enter");
    await expect(notices(frame)).toContainText("Renamed to summary.txt");
    await show(explorer).click();
    await expectShown(explorer, "deep", ["summary.txt"]);
  });

  test("where the folder shows it anyway, nothing is offered", async ({ openExplorer, page }) => {
    const explorer = await openExplorer({ scope: everything });
    await explorer.row("a.txt").focus();
    await page.keyboard.press("F2");
    await explorer.frame.getByRole("textbox", { name: "New name of a.txt" }).fill("b.txt");
    await page.keyboard.press("Enter");
    await expect(notices(explorer.frame)).toContainText("Renamed to b.txt");
    await expect(show(explorer)).toHaveCount(0);
  });
});
