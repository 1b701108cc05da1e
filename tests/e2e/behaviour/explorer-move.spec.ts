import { choose, everything, notices } from "../change-support";
import { expect, test } from "../explorer-support";
import { pageWith } from "../integrator";
import { test as ownProfileTest } from "../own-profile";

test("Back and Forward move between folders, and focus the row that was left", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a/b/deep.txt", "x");
  await integrator.bucket.put("a/z.txt", "x");
  const { frame, row } = await openExplorer();
  await row("a").dblclick();
  await row("b").dblclick();
  await expect(row("deep.txt")).toBeFocused();
  await page.evaluate("history.back()");
  await expect(row("b")).toBeFocused();
  await page.evaluate("history.back()");
  await expect(row("a")).toBeFocused();
  await page.evaluate("history.forward()");
  await page.evaluate("history.forward()");
  await expect(row("deep.txt")).toBeVisible();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("b");
});

test("Back closes a preview, a menu or a dialog, and leads to the folder above the next time", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a/b.txt", "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const dialogs = frame.getByRole("dialog");
  await row("a").dblclick();
  await row("b.txt").dblclick();
  await expect(dialogs).toBeVisible();
  await page.evaluate("history.back()");
  await expect(dialogs).toHaveCount(0);
  await expect(row("b.txt")).toBeFocused();
  await row("b.txt").press("Shift+F10");
  await expect(frame.getByRole("menu")).toBeVisible();
  await page.evaluate("history.back()");
  await expect(frame.getByRole("menu")).toHaveCount(0);
  await choose(explorer, "b.txt", "Move to");
  await expect(dialogs).toBeVisible();
  await page.evaluate("history.back()");
  await expect(dialogs).toHaveCount(0);
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("a");
  await page.evaluate("history.back()");
  await expect(row("a")).toBeFocused();
});

ownProfileTest(
  "the element's path is where one begins, and a reload leads back to where one was",
  async ({ integrator, openEmbed, page, stack }) => {
    await integrator.bucket.put("team/plans/2026/plan.txt", "x");
    integrator.asks = { scope: { path: "/team" } };
    const tag = `<platform-embed token-endpoint="/embed-url" path="/team/plans"></platform-embed>`;
    integrator.pages.set("/", pageWith(stack, tag));
    const frame = await openEmbed();
    const heading = frame.getByRole("heading", { level: 1 });
    await expect(heading).toHaveText("plans");
    await frame.getByRole("row", { name: "2026", exact: true }).dblclick();
    await expect(frame.getByRole("row", { name: "plan.txt", exact: true })).toBeVisible();
    await page.reload();
    await expect(heading).toHaveText("2026");
    await expect(frame.getByRole("row", { name: "plan.txt", exact: true })).toBeVisible();
  },
);

test("a path outside the scope opens the root, with a notice", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("team/plans/plan.txt", "x");
  await integrator.bucket.put("other/secret.txt", "x");
  const { frame, row, names } = await openExplorer({ scope: { path: "/team" }, query: "&path=/other" });
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("team");
  await expect.poll(names).toEqual(["plans"]);
  const notice = frame.getByRole("alert");
  await expect(notice).toContainText("The folder this page wanted to open is not among these files.");
  await row("plans").dblclick();
  await expect(row("plan.txt")).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test("Forward to a deleted folder opens the root, with a notice", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("a/x.txt", "x");
  await integrator.bucket.put("z.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a").dblclick();
  await expect(row("x.txt")).toBeFocused();
  await page.evaluate("history.back()");
  await expect(row("a")).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("Delete");
  await expect(notices(frame)).toContainText("a deleted");
  await page.evaluate("history.forward()");
  const notice = frame.getByRole("alert");
  await expect(notice).toContainText("That folder is no longer there.");
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("Files");
  await expect(row("z.txt")).toBeVisible();
  await notice.getByRole("button", { name: "Dismiss" }).click();
  await expect(notice).toHaveCount(0);
});

test("the breadcrumbs always show the open folder, and fold the middle into a menu", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  const folders = ["Finance and controlling", "Quarterly reports", "Drafts of 2026", "For the board"];
  await integrator.bucket.put(`${folders.join("/")}/a.txt`, "x");
  const { frame, row } = await openExplorer();
  for (const folder of folders) await row(folder).dblclick();
  const here = frame.getByRole("heading", { level: 1, name: "For the board" });
  await expect(row("a.txt")).toBeVisible();
  const isCut = () => here.evaluate((element) => element.scrollWidth > element.clientWidth);
  await expect.poll(isCut).toBe(false);
  const more = frame.getByRole("button", { name: "Folders in between" });
  await more.press("Enter");
  const items = frame.getByRole("menuitem");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(more).toBeFocused();
  await more.press("Enter");
  await frame.getByRole("menuitem", { name: "Quarterly reports" }).press("Enter");
  await expect(row("Drafts of 2026")).toBeFocused();
  await page.setViewportSize({ width: 1280, height: 640 });
  await expect(more).toHaveCount(0);
});

for (const width of [768, 328]) {
  test(`the name of the open folder comes before search and the path, at ${width} pixels`, async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await page.setViewportSize({ width, height: 640 });
    await integrator.bucket.put("Projects/Delivery notes/a.txt", "x");
    const { frame, row } = await openExplorer({ scope: everything, query: "&locale=de" });
    for (const folder of ["Projects", "Delivery notes"]) await row(folder).dblclick();
    await expect(row("a.txt")).toBeVisible();
    const here = frame.getByRole("heading", { level: 1, name: "Delivery notes" });
    await expect
      .poll(() => here.evaluate((element) => element.scrollWidth > element.clientWidth))
      .toBe(false);
    await frame.getByRole("searchbox", { name: "Suchen" }).fill("a");
    await expect(frame.getByRole("searchbox", { name: "Suchen" })).toHaveCSS("width", /^[1-9]\d\d/);
  });
}

test("files can be sorted by type where there is room for the column, and a long name does not push the date away", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const long = `${"A very long name ".repeat(12)}.txt`;
  for (const name of ["a.png", "b.pdf", "c.zip", long]) await integrator.bucket.put(name, "x");
  const { frame, row, names } = await openExplorer();
  await frame.getByRole("button", { name: "Type" }).click();
  await expect.poll(names).toEqual(["c.zip", "a.png", "b.pdf", long]);
  const edge = async (part: string) => {
    const box = await row(long).locator(part).boundingBox();
    return { left: box?.x ?? 0, right: (box?.x ?? 0) + (box?.width ?? 0) };
  };
  expect((await edge(".row__file")).right).toBeLessThan((await edge(".row__type")).left - 8);
  await page.setViewportSize({ width: 700, height: 600 });
  await expect(frame.getByRole("button", { name: "Type" })).toBeHidden();
  expect((await edge(".row__file")).right).toBeLessThan((await edge(".row__modified")).left - 8);
  const isCut = (element: Element) => element.scrollWidth > element.clientWidth;
  expect(await row(long).locator(".row__file > span").evaluate(isCut), "the name").toBe(true);
  expect(await row(long).locator(".row__file").evaluate(isCut), "its extension").toBe(false);
});

test('keyboard shortcuts work, are listed by "?", and do nothing while the visitor types', async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a/b/deep.txt", "x");
  await integrator.bucket.put("z.txt", "x");
  const { frame, row } = await openExplorer({ scope: { actions: ["delete"] } });
  await row("a").focus();
  await page.keyboard.press("ArrowRight");
  await expect(row("b")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(row("deep.txt")).toBeFocused();
  await page.keyboard.press("Alt+ArrowUp");
  await expect(row("b")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(row("a")).toBeFocused();

  const sheet = frame.getByRole("dialog", { name: "Help" });
  await page.keyboard.press("?");
  await expect(sheet.getByText("Up one folder")).toBeVisible();
  await expect(sheet.getByText("Ctrl+Z")).toBeVisible();
  await expect(sheet.getByText("F2"), "what the token does not allow").toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expect(row("a")).toBeFocused();

  await page.keyboard.press("/");
  await page.keyboard.type("?/x");
  await expect(frame.getByRole("searchbox")).toHaveValue("?/x");
  await page.keyboard.press("Backspace");
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("Files");
  await expect(sheet).toHaveCount(0);
});

test("Enter opens the focused row, however it got the focus", async ({ integrator, openExplorer, page }) => {
  for (const key of ["first/1.txt", "second/2.txt", "third/3.txt"]) await integrator.bucket.put(key, "x");
  const { row } = await openExplorer();
  await row("third").evaluate((element) => element.focus());
  await page.keyboard.press("Enter");
  await expect(row("3.txt")).toBeVisible();
});
