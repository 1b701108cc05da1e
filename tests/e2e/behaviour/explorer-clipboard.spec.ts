import { everything, holdChanges, menuItem } from "../change-support";
import { expect, test } from "../explorer-support";

test("files are cut, copied and pasted in another folder with the keyboard", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["a.txt", "b.txt", "in/c.txt"]) await integrator.bucket.put(key, `text of ${key}`);
  const { frame, row } = await openExplorer({ scope: everything });
  const clipboard = frame.getByRole("region", { name: "Clipboard" });
  await row("a.txt").focus();
  await page.keyboard.press("Control+x");
  await expect(clipboard).toContainText("a.txt cut. Open a folder and paste.");
  await expect(row("a.txt")).toHaveClass(/row--dimmed/);
  await page.keyboard.press("Control+v");
  expect(await integrator.bucket.list(), "it is here already").toHaveLength(3);
  await row("in").dblclick();
  await expect(row("c.txt")).toBeVisible();
  await page.keyboard.press("Control+v");
  await expect(row("a.txt")).toBeVisible();
  await expect(clipboard).toHaveCount(0);
  await expect.poll(() => integrator.bucket.list()).toEqual(["b.txt", "in/a.txt", "in/c.txt"]);

  await expect(row("a.txt"), "what was pasted").toHaveAttribute("aria-selected", "true");
  await row("c.txt").click();
  await page.keyboard.press("Control+c");
  await expect(clipboard).toContainText("c.txt copied. Open a folder and paste.");
  await clipboard.getByRole("button", { name: "Paste here" }).click();
  await expect(row("c (1).txt")).toBeFocused();
  await expect(row("c (1).txt")).toHaveAttribute("aria-selected", "true");
  await expect(row("c.txt")).toHaveAttribute("aria-selected", "false");
  // Done, as far as can be seen; its keys paste it once more.
  await expect(clipboard).toHaveCount(0);
  await page.keyboard.press("Control+v");
  await expect(row("c (2).txt")).toBeVisible();
  expect((await integrator.bucket.get("in/c (1).txt"))?.toString()).toBe("text of in/c.txt");
});

test("a paste right after the first copy is not lost, and the clipboard can be cleared", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const release = await holdChanges(page);
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  release();
  await expect(row("a (1).txt")).toBeVisible();
  await row("a.txt").focus();
  await page.keyboard.press("Control+c");
  const clipboard = frame.getByRole("region", { name: "Clipboard" });
  await clipboard.getByRole("button", { name: "Clear clipboard" }).click();
  await expect(clipboard).toHaveCount(0);
  await page.keyboard.press("Control+v");
  await expect(row("a.txt")).toBeVisible();
  expect(await integrator.bucket.list()).toEqual(["a (1).txt", "a.txt"]);
});

test("once something else was copied elsewhere, the keys paste that instead of the copied row", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await expect(row("a (1).txt")).toBeFocused();
  await page.evaluate("document.body.tabIndex = 0; document.body.focus()");
  await expect.poll(() => frame.locator("body").evaluate(() => document.hasFocus())).toBe(false);
  await frame.locator("body").evaluate((body) =>
    addEventListener("keydown", ({ key, defaultPrevented }) => {
      if (key === "v") body.dataset.leftToBrowser = String(!defaultPrevented);
    }),
  );
  await row("a.txt").focus();
  await page.keyboard.press("Control+v");
  await expect(frame.locator("body")).toHaveAttribute("data-left-to-browser", "true");
  expect(await integrator.bucket.list()).toEqual(["a (1).txt", "a.txt"]);
});

test("rows can be dragged onto a folder and a breadcrumb, and are copied with Ctrl", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["a.txt", "b.txt", "in/c.txt"]) await integrator.bucket.put(key, "x");
  const release = await holdChanges(page);
  const { frame, row } = await openExplorer({ scope: everything });
  // Done before the code that carries it out has arrived.
  await row("a.txt").locator("[data-name]").dragTo(row("in"));
  release();
  await expect(row("a.txt")).toHaveCount(0);
  await expect.poll(() => integrator.bucket.list()).toEqual(["b.txt", "in/a.txt", "in/c.txt"]);

  await row("in").dblclick();
  await expect(row("c.txt")).toBeVisible();
  await row("c.txt").locator("[data-name]").hover();
  await page.mouse.down();
  await page.keyboard.down("Control");
  const crumb = frame.getByRole("navigation").getByRole("button", { name: "Files" });
  await crumb.hover();
  await crumb.hover();
  await expect(crumb).toHaveAttribute("data-drop");
  await page.mouse.up();
  await page.keyboard.up("Control");
  await expect.poll(() => integrator.bucket.list()).toContain("c.txt");
  await expect(row("c.txt")).toBeVisible();
});

test("changes that are not allowed are not offered", async ({ integrator, openExplorer, page }) => {
  for (const key of ["a.txt", "in/c.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer();
  const offered = async (name: string) => {
    await row(name).click({ button: "right" });
    await expect(frame.getByRole("menu")).toBeVisible();
    const items = await frame.getByRole("menuitem").allTextContents();
    await page.keyboard.press("Escape");
    return items;
  };
  expect(await offered("a.txt")).toEqual(["Preview", "Download", "DetailsAlt+Enter"]);
  await expect(frame.getByRole("button", { name: "New folder" })).toHaveCount(0);
  await row("a.txt").focus();
  for (const key of ["F2", "Delete", "Control+x", "Control+c"]) await page.keyboard.press(key);
  await expect(frame.getByRole("textbox", { name: "New name" })).toHaveCount(0);
  await expect(frame.getByRole("region", { name: "Clipboard" })).toHaveCount(0);
});

test("outside the writable folder, files can only be copied into it", async ({
  integrator,
  openExplorer,
}) => {
  for (const key of ["a.txt", "in/c.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: { ...everything, uploadFolder: "/in" } });
  await expect(frame.getByRole("button", { name: "New folder" })).toBeDisabled();
  await row("a.txt").click({ button: "right" });
  await expect(menuItem(frame, "Rename")).toHaveCount(0);
  await expect(menuItem(frame, "Delete")).toHaveCount(0);
  await menuItem(frame, "Copy to").click();
  await expect(frame.getByRole("treeitem")).toHaveText(["in"]);
  await frame.getByRole("button", { name: "Copy here" }).click();
  await expect.poll(() => integrator.bucket.list()).toContain("in/a.txt");
});

test("the tree of destinations has no folder that the token may not read, even if it may upload there", async ({
  integrator,
  openExplorer,
}) => {
  for (const key of ["team/a.txt", "team/in/c.txt", "secret/d.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: { ...everything, path: "/team", uploadFolder: "/" } });
  await row("a.txt").click({ button: "right" });
  await menuItem(frame, "Copy to").click();
  await expect(frame.getByRole("treeitem")).toHaveText(["team", "in"]);
  await frame.getByRole("treeitem", { name: "in" }).click();
  await frame.getByRole("button", { name: "Copy here" }).click();
  await expect.poll(() => integrator.bucket.list()).toContain("team/in/a.txt");
});
