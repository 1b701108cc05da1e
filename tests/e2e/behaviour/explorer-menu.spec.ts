import { choose, everything, menuItem, question } from "../change-support";
import { expect, test } from "../explorer-support";
import { files, choose as upload } from "../upload-support";

test("a menu is opened by right click and keyboard", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").click({ button: "right" });
  await expect(frame.getByRole("menu", { name: "Actions for a.txt" })).toBeVisible();
  await expect(menuItem(frame, "Preview")).toBeFocused();
  const highlighted = () =>
    frame
      .getByRole("menuitem")
      .evaluateAll((items) =>
        items
          .filter((item) => getComputedStyle(item).backgroundColor !== "rgba(0, 0, 0, 0)")
          .map((item) => item.querySelector("span")?.textContent),
      );
  expect(await highlighted(), "opened by mouse").toEqual([]);
  await page.keyboard.press("ArrowUp");
  await expect(menuItem(frame, "Delete")).toBeFocused();
  await expect.poll(highlighted).toEqual(["Delete"]);
  await page.keyboard.press("r");
  await expect(menuItem(frame, "Rename")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(row("a.txt")).toBeFocused();
  await page.keyboard.press("Shift+F10");
  await expect(frame.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
});

for (const how of ["its button", "a right click"]) {
  test(`a row's menu, opened by ${how}, acts on that row alone while the selection is what was uploaded`, async ({
    integrator,
    openExplorer,
  }) => {
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await upload(frame, files(10, "a.txt", "b.txt", "c.txt"));
    await expect(frame.getByRole("contentinfo")).toContainText("3 selected");
    if (how === "its button") await choose(explorer, "b.txt", "Delete");
    else {
      await row("b.txt").click({ button: "right" });
      await expect(frame.getByRole("menu", { name: "Actions for b.txt" })).toBeVisible();
      await menuItem(frame, "Delete").click();
    }
    await expect(question(frame)).toContainText("Delete “b.txt”");
    await question(frame).getByRole("button", { name: "Delete" }).click();
    await expect(row("b.txt")).toHaveCount(0);
    expect((await integrator.bucket.list()).sort()).toEqual(["a.txt", "c.txt"]);
  });
}

test("a row's menu acts on the selection that a person has made, and the question says how many", async ({
  integrator,
  openExplorer,
}) => {
  for (const key of ["a.txt", "b.txt", "c.txt"]) await integrator.bucket.put(key, "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("a.txt").click({ modifiers: ["Control"] });
  await row("b.txt").click({ modifiers: ["Control"] });
  await choose(explorer, "b.txt", "Delete");
  await expect(question(frame)).toContainText("Delete 2 items");
  await question(frame).getByRole("button", { name: "Delete" }).click();
  await expect(row("b.txt")).toHaveCount(0);
  expect(await integrator.bucket.list()).toEqual(["c.txt"]);
});

test("a menu closes when the person clicks on the page around the frame", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").click({ button: "right" });
  await expect(frame.getByRole("menu")).toBeVisible();
  await page.evaluate(() => document.body.insertAdjacentHTML("afterbegin", "<button>Out</button>"));
  await page.getByRole("button", { name: "Out" }).click();
  await expect(frame.getByRole("menu")).toHaveCount(0);
});

test('the clipboard\'s "Copy" stands in a group of its own, away from "Copy to…"', async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").click({ button: "right" });
  const groups = await frame.getByRole("menu").evaluate((menu) =>
    [...menu.children].map((item) => {
      const line = item.matches(".menu__item--begins") ? "| " : "";
      return line + item.querySelector("span")?.textContent;
    }),
  );
  expect(groups).toEqual([
    ...["Preview", "Download"],
    ...["| Cut", "Copy"],
    ...["| Rename", "Move to…", "Copy to…"],
    ...["| Details", "| Delete"],
  ]);
});
