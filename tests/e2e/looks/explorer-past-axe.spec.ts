/** What people see of older versions and of deleted files passes axe, in light and in dark. */
import { everything, question, violations } from "../change-support";
import { expect, inBothThemes } from "../explorer-support";
import { bar, showDeleted, test } from "../past-support";

const text = (text: string) => ({ text });

test.use({
  histories: {
    "plan.txt": [text("one\nthe first line\n"), text("one\nthe second line\n")],
    "Docs/letter.txt": [text("letter"), "deleted"],
    "notes.txt": [text("notes"), "deleted"],
  },
});

test("deleted files, and the question before they are deleted permanently", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const look = async (theme: string) => expect(await violations(page), theme).toEqual([]);
  await showDeleted(frame);
  await row("notes.txt").getByRole("checkbox").click();
  await expect(bar(frame).getByRole("button", { name: "Restore 1 item" })).toBeVisible();
  await inBothThemes(explorer, look);
  await row("notes.txt").getByRole("checkbox").click();
  await bar(frame).getByRole("button", { name: "Delete everything permanently" }).click();
  await question(frame).getByRole("checkbox").check();
  await inBothThemes(explorer, look);
});

test("the versions of a file, and the comparison of two", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const look = async (theme: string) => expect(await violations(page), theme).toEqual([]);
  await row("plan.txt").press("Alt+Enter");
  const details = frame.getByRole("complementary", { name: "Details" });
  await details.getByText("Versions", { exact: true }).click();
  await details
    .getByRole("button", { name: /^More: / })
    .last()
    .click();
  const compare = frame.getByRole("menuitem", { name: "Compare with current" });
  await expect(compare).toBeVisible();
  await inBothThemes(explorer, look);
  await compare.click();
  await expect(frame.locator(".comparison [data-change]")).toHaveCount(1);
  await inBothThemes(explorer, look);
});
