import type { FrameLocator } from "@playwright/test";
import { dialog, everything, menuItem, notices, question } from "../change-support";
import { expect, test } from "../explorer-support";
import { bmp, pdf } from "../sample-files";
import { chooseAndUnfold, files, line, PRESIGN, uploads } from "../upload-support";

test.use({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });

/** What can be tapped on the screen and is lower or narrower than 44 pixels, whatever it looks like: where a tap still counts is tried. */
const tooSmall = (frame: FrameLocator): Promise<string[]> =>
  frame.locator(".explorer").evaluate((explorer) => {
    const reach = 21;
    const found: string[] = [];
    const all = explorer.querySelectorAll<HTMLElement>(
      "button, a[href], summary, input, select, textarea, [data-row][tabindex], [role=menuitem], [role=treeitem]",
    );
    for (const element of all) {
      const { left, top, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const isHit = (dx: number, dy: number) => {
        const at = document.elementFromPoint(x + dx, y + dy);
        const isInRow = element.dataset.row !== undefined && at?.closest("[data-row]") === element;
        return at !== null && (element.contains(at) || isInRow);
      };
      if (!element.checkVisibility({ visibilityProperty: true }) || !isHit(0, 0)) continue;
      // Half of it is below an edge that it scrolls out from.
      const edges = element.closest(".list")?.getBoundingClientRect();
      if (y - reach < (edges?.top ?? 0) || y + reach > (edges?.bottom ?? innerHeight)) continue;
      if (x - reach < 0 || x + reach > innerWidth) continue;
      const isLarge = [isHit(-reach, 0), isHit(reach, 0), isHit(0, -reach), isHit(0, reach)].every(Boolean);
      if (!isLarge)
        found.push(`${Math.round(width)} x ${Math.round(height)} ${element.outerHTML.slice(0, 120)}`);
    }
    return found;
  });

async function fromFolderMenu(frame: FrameLocator, item: string): Promise<void> {
  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  await menuItem(frame, item).click();
}

test.beforeEach(async ({ integrator }) => {
  await integrator.bucket.put("projects/alpha/deep/annual report.txt", "x");
  for (const name of ["report.txt", "notes.txt", "other.txt"]) await integrator.bucket.put(name, "some text");
});

test("a menu has one way to copy", async ({ openExplorer }) => {
  const { frame, row } = await openExplorer({ scope: everything });
  await row("notes.txt").getByRole("button", { name: "More for notes.txt" }).click();
  await expect(menuItem(frame, "Copy to…")).toBeVisible();
  await expect(menuItem(frame, "Copy$")).toHaveCount(0);
  await expect(menuItem(frame, "Cut")).toHaveCount(0);
});

test("the number of selected files is in one line", async ({ openExplorer, page }) => {
  await page.setViewportSize({ width: 328, height: 640 });
  const { frame, row } = await openExplorer({ scope: everything });
  await row("notes.txt").getByRole("checkbox").check();
  const text = frame.getByRole("contentinfo").getByText("1 selected");
  const lines = await text.evaluate(({ firstChild }) => {
    const range = document.createRange();
    if (firstChild) range.selectNode(firstChild);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
});

test("the filters of a search are in one line, and a tap elsewhere ends a search for nothing", async ({
  openExplorer,
}) => {
  const { frame, row } = await openExplorer({ scope: everything });
  const field = frame.getByRole("searchbox", { name: "Search" });
  const filters = frame.getByRole("search", { name: "Filters" });
  await field.tap();
  await expect(filters.getByRole("combobox")).toHaveCount(3);
  const tops = () =>
    filters.getByRole("combobox").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(await tops()).size).toBe(1);
  await field.fill("report");
  await row("report.txt").getByRole("checkbox").tap();
  await expect(filters).toBeVisible();
  await frame.getByRole("button", { name: "Clear search" }).tap();
  await expect(filters).toBeVisible();
  await row("notes.txt").getByRole("checkbox").tap();
  await expect(filters).toHaveCount(0);
  await expect(row("notes.txt")).toHaveAttribute("aria-selected", "true");
});

test("in the folder, its search, its tiles and the way up to it", async ({ openExplorer }) => {
  const { frame, row } = await openExplorer({ scope: everything, query: "&density=compact" });
  const field = frame.getByRole("searchbox", { name: "Search" });
  const nothing = async (where: string) => expect(await tooSmall(frame), where).toEqual([]);
  await nothing("list");
  await field.fill("report");
  await expect(row("annual report.txt")).toBeVisible();
  await nothing("search");
  await fromFolderMenu(frame, "Show as tiles");
  await expect(frame.getByRole("gridcell", { name: "annual report.txt" })).toBeVisible();
  await nothing("found tiles");
  await frame.getByRole("button", { name: "Clear search" }).click();
  await expect(frame.getByRole("gridcell", { name: "projects" })).toBeVisible();
  await nothing("tiles");
  await fromFolderMenu(frame, "Show as a list");
  for (const name of ["projects", "alpha", "deep"]) await row(name).dblclick();
  await expect(row("annual report.txt")).toBeVisible();
  await nothing("folder below others");
});

test("in menus, dialogs, the clipboard and notices", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.keepVersions();
  const { frame, row } = await openExplorer({ scope: everything });
  const nothing = async (where: string) => expect(await tooSmall(frame), where).toEqual([]);
  const more = (name: string) => row(name).getByRole("button", { name: `More for ${name}` });
  await row("notes.txt").getByRole("checkbox").check();
  await nothing("selection");
  await row("notes.txt").getByRole("checkbox").uncheck();
  await more("notes.txt").click();
  await nothing("menu");
  await menuItem(frame, "Rename").click();
  await nothing("new name");
  await page.keyboard.press("Escape");
  await more("notes.txt").click();
  await menuItem(frame, "Move to").click();
  await expect(frame.getByRole("treeitem", { name: "projects" })).toBeVisible();
  await nothing("move");
  await page.keyboard.press("Escape");
  await fromFolderMenu(frame, "New folder");
  await expect(dialog(frame).getByRole("textbox")).toBeFocused();
  await nothing("new folder");
  await page.keyboard.press("Escape");
  await more("notes.txt").click();
  await menuItem(frame, "Details").click();
  await expect(dialog(frame)).toBeVisible();
  await nothing("details");
  await page.keyboard.press("Escape");
  await row("notes.txt").press("?");
  await expect(dialog(frame)).toBeVisible();
  await nothing("shortcuts");
  await page.keyboard.press("Escape");
  await row("notes.txt").press("Control+c");
  await expect(frame.getByRole("region", { name: "Clipboard" })).toBeVisible();
  await row("notes.txt").press("Delete");
  await expect(notices(frame)).toContainText("notes.txt deleted");
  await nothing("clipboard and notice");
});

test("in a path that is folded, and what asks before it deletes", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const folders = ["Finance and controlling", "Quarterly reports", "Drafts of 2026", "For the board"];
  await integrator.bucket.put(`${folders.join("/")}/a.txt`, "x");
  // In narrower frames the name of the open folder takes the room of the menu.
  await page.setViewportSize({ width: 480, height: 640 });
  const { frame, row } = await openExplorer({ scope: everything });
  const nothing = async (where: string) => expect(await tooSmall(frame), where).toEqual([]);
  for (const folder of folders) await row(folder).dblclick();
  await expect(row("a.txt")).toBeVisible();
  const more = frame.getByRole("button", { name: "Folders in between" });
  await expect(more).toBeVisible();
  await nothing("folded path");
  await more.click();
  await expect(frame.getByRole("menuitem").first()).toBeVisible();
  await nothing("its menu");
  await page.keyboard.press("Escape");
  await row("a.txt").press("Space");
  await row("a.txt").press("Delete");
  await expect(question(frame)).toBeVisible();
  await nothing("question");
});

test.describe("where an upload is refused:", () => {
  test.use({ allowedConsole: [/status of 403/] });

  test("in the panels of uploads and downloads", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("Photos/a.txt", "x");
    const { frame, row } = await openExplorer({ scope: everything });
    const nothing = async (where: string) => expect(await tooSmall(frame), where).toEqual([]);
    // One is refused, the other is never answered.
    await page.route(PRESIGN, async (route) => {
      if (route.request().postDataJSON().fileName !== "refused.mp4") return;
      await route.fulfill({ status: 403, json: { error: "No.", code: "scope_not_allowed" } });
    });
    await chooseAndUnfold(frame, files(2_000, "refused.mp4", "film.mp4"));
    await expect(line(frame, "refused.mp4")).toContainText("You may not upload to this folder.");
    await expect(line(frame, "film.mp4").getByRole("button")).not.toHaveCount(0);
    await nothing("uploads");
    await page.route("**/api/embed/storage/presign-downloads", () => {});
    await row("Photos").getByRole("button", { name: "More for Photos" }).click();
    await menuItem(frame, "Download").click();
    await expect(frame.getByRole("region", { name: "Downloads" }).getByRole("button")).not.toHaveCount(0);
    await nothing("uploads and downloads");
    await expect(uploads(frame)).toBeVisible();
  });
});

test("in previews", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.bmp", bmp(600, 400), "image/bmp");
  await integrator.bucket.put("b.pdf", pdf(2), "application/pdf");
  await integrator.bucket.put("c.csv", "a,b\n1,2", "text/csv");
  await integrator.bucket.put("d.json", `{"a": {"b": [1, 2]}}`, "application/json");
  await integrator.bucket.put("e.md", "# Title\n\ntext", "text/markdown");
  await integrator.bucket.put("f.bin", Buffer.from([0, 1, 2, 255]));
  const { frame, row } = await openExplorer({ scope: everything });
  const seen = {
    "a.bmp": dialog(frame).locator("img"),
    "b.pdf": dialog(frame).locator("canvas").first(),
    "c.csv": dialog(frame).getByRole("table"),
    "d.json": dialog(frame).locator(".preview__json"),
    "e.md": dialog(frame).getByRole("heading", { name: "Title" }),
    "f.bin": dialog(frame).locator(".preview__note"),
  };
  for (const [name, content] of Object.entries(seen)) {
    await row(name).dblclick();
    await expect(content).toBeVisible();
    expect(await tooSmall(frame), name).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(dialog(frame)).toHaveCount(0);
  }
  await row("f.bin").dblclick();
  await dialog(frame).getByRole("button", { name: "Details" }).click();
  await expect(dialog(frame).locator(".preview__details")).toBeVisible();
  expect(await tooSmall(frame), "details beside a preview").toEqual([]);
});
