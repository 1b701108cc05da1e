/** How much of a phone's screen is left to the files. */
import { everything, menuItem } from "../change-support";
import { expect, type OpenExplorer } from "../explorer-support";
import { bar, test } from "../past-support";

test.use({
  viewport: { width: 360, height: 640 },
  hasTouch: true,
  isMobile: true,
  histories: { "letter.txt": [{ text: "letter" }], "notes.txt": [{ text: "notes" }, "deleted"] },
});

async function chooseFromMenu({ frame }: OpenExplorer, name: string): Promise<void> {
  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  await menuItem(frame, name).click();
}

test("files begin right below the head, in the list and in tiles", async ({ openExplorer }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const gap = () =>
    frame.locator(".explorer").evaluate((element) => {
      const [head, first] = [".head", "[data-row]"].map((one) => element.querySelector(one));
      return (first?.getBoundingClientRect().top ?? 0) - (head?.getBoundingClientRect().bottom ?? 0);
    });
  await expect(row("letter.txt")).toBeVisible();
  expect(await gap()).toBeLessThan(8);
  await chooseFromMenu(explorer, "Show as tiles");
  await expect(frame.getByRole("gridcell", { name: "letter.txt" })).toBeVisible();
  expect(await gap()).toBeLessThan(8);
});

test("deleted files have one line above them, and the menu deletes them permanently", async ({
  openExplorer,
}) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await chooseFromMenu(explorer, "Deleted files");
  await expect(row("notes.txt")).toBeVisible();
  for (const name of ["Restore everything", "Back to current files"])
    await expect(bar(frame).getByRole("button", { name })).toBeInViewport({ ratio: 1 });
  expect((await bar(frame).boundingBox())?.height).toBeLessThan(64);
  await chooseFromMenu(explorer, "Delete everything permanently");
  await expect(frame.getByRole("alertdialog")).toContainText("notes.txt");
});
