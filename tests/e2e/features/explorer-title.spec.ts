import { expect, test } from "../explorer-support";

const title = "Rechnungen & <b>Belege</b>";

test.use({
  initialObjects: { "customers/4711/2026/a.txt": "x", "customers/4711/b.txt": "x" },
});

test("what the integrator calls the folder stands wherever its name would", async ({
  openExplorer,
  page,
}) => {
  const { frame, row } = await openExplorer({
    scope: { path: "/customers/4711", title, actions: ["download", "upload", "organize", "delete"] },
  });
  const heading = frame.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(title);
  expect(await frame.locator("html").evaluate(() => document.title)).toBe(title);

  await row("b.txt").click({ button: "right" });
  await frame.getByRole("menuitem", { name: "Move to" }).click();
  await expect(frame.getByRole("treeitem", { name: title })).toBeVisible();
  await page.keyboard.press("Escape");

  await row("b.txt").focus();
  await page.keyboard.press("Alt+Enter");
  await expect(frame.getByRole("complementary", { name: "Details" })).toContainText(title);
  await page.keyboard.press("Escape");

  await row("2026").dblclick();
  await expect(heading).toHaveText("2026");
  await expect(frame.getByRole("navigation").getByRole("button", { name: title })).toBeVisible();
  await row("a.txt").click();
  await page.keyboard.press("ControlOrMeta+x");
  await frame.getByRole("navigation").getByRole("button", { name: title, exact: true }).click();
  await expect(row("b.txt")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+v");
  await expect(frame.getByRole("region", { name: "Done" })).toContainText(`to ${title}`);
  await expect(frame.locator("body")).not.toContainText("4711");
});

test("a hand-in page has it as its heading", async ({ openExplorer }) => {
  const { frame } = await openExplorer({
    scope: { view: "hand-in", uploadFolder: "/customers/4711", title },
  });
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText(title);
  expect(await frame.locator("html").evaluate(() => document.title)).toBe(title);
});
