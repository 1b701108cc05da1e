import type { Page } from "@playwright/test";
import { choose, dialog, everything, notices } from "../change-support";
import { expect, test } from "../explorer-support";
import { violations } from "../upload-support";

const KEYS = [
  "notes.txt",
  "Report 2026.pdf",
  "Été/Café menu.txt",
  "Été/winter.jpg",
  "projects/alpha/annual report.txt",
  "projects/beta/report.txt",
  "projects/reports/empty.txt",
];

const PICTURES = process.env.SEARCH_PICTURES;
const look = async (page: Page, name: string) => {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
};

test.use({ allowedConsole: [/Failed to load resource: .*status of 503/] });
test.beforeEach(async ({ integrator }) => {
  await Promise.all(KEYS.map((key) => integrator.bucket.put(key, `this is ${key}`, "text/plain")));
});

test("typing filters the folder and searches the folders below, in the same list", async ({
  openExplorer,
  page,
}) => {
  const { frame, row, names } = await openExplorer();
  const field = frame.getByRole("searchbox", { name: "Search" });
  const progress = frame.getByRole("search", { name: "Search progress" });
  await field.fill("REPORT");
  await expect(progress).toHaveText("Searched all folders below, 7 files.");
  await expect.poll(names).toEqual(["reports", "annual report.txt", "Report 2026.pdf", "report.txt"]);
  await expect(frame.getByText("4 found")).toBeVisible();
  await expect(row("annual report.txt").getByText("projects / alpha")).toBeVisible();
  await expect(frame.locator("mark")).toHaveText(["report", "report", "Report", "report"]);
  await look(page, "found-light");

  // The same list: a preview goes from hit to hit, and they are selected and sorted as elsewhere.
  await row("annual report.txt").getByText("annual report").click();
  const preview = frame.getByRole("dialog");
  await expect(preview.getByText("this is projects/alpha/annual report.txt")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(preview).toHaveCount(0);
  await expect(field).toHaveValue("REPORT");
  await expect(frame.getByText("1 selected"), "it was only looked at").toHaveCount(0);
  await row("annual report.txt").getByRole("checkbox").click();
  await field.fill("report.txt");
  await expect(frame.getByText("1 selected")).toBeVisible();
  await field.fill("beta report");
  await expect(frame.locator("mark"), "a word may be in the name of the folder").toHaveText([
    "report",
    "beta",
  ]);
  await expect(frame.getByText("1 selected")).toHaveCount(0);

  await field.fill("winter");
  await row("winter.jpg").getByRole("button", { name: "Open its folder, Été" }).click();
  await expect(frame.getByRole("heading", { name: "Été" })).toBeVisible();
  await expect(row("winter.jpg")).toBeFocused();
  await expect(field).toHaveValue("");
});

test("search ignores accents, waits for a second letter, and reports an empty result", async ({
  openExplorer,
}) => {
  const { frame, names } = await openExplorer();
  const field = frame.getByRole("searchbox", { name: "Search" });
  const progress = frame.getByRole("search", { name: "Search progress" });
  await field.fill("cafe\u0301");
  await expect.poll(names).toEqual(["Café menu.txt"]);
  await field.fill("w");
  await expect(progress).toContainText("In this folder.");
  await expect(frame.getByRole("heading", { name: "Nothing matches “w”" })).toBeVisible();
  await field.press("Enter");
  await expect.poll(names).toEqual(["winter.jpg"]);
  await field.fill("nothing like it");
  await expect(frame.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
  await expect(progress).toHaveText("Searched all folders below, 7 files.");
});

test("Escape returns to the folder and to the row that had the focus", async ({ openExplorer, page }) => {
  const { frame, row, names } = await openExplorer();
  const field = frame.getByRole("searchbox", { name: "Search" });
  await row("notes.txt").focus();
  await field.focus();
  await page.keyboard.type("winter");
  await expect.poll(names).toEqual(["winter.jpg"]);
  await row("winter.jpg").focus();
  await page.keyboard.press("Escape");
  await expect(row("notes.txt")).toBeFocused();
  await expect.poll(names).toEqual(["Été", "projects", "notes.txt", "Report 2026.pdf"]);
  await field.focus();
  await page.keyboard.type("x");
  await page.keyboard.press("Escape");
  await expect(row("notes.txt")).toBeFocused();
});

test("the arrow keys lead from the field to the results and back", async ({ openExplorer, page }) => {
  const { frame, row, names } = await openExplorer();
  const field = frame.getByRole("searchbox", { name: "Search" });
  await field.fill("report");
  await expect.poll(names).toEqual(["reports", "annual report.txt", "Report 2026.pdf", "report.txt"]);
  await page.keyboard.press("ArrowDown");
  await expect(row("reports")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(row("annual report.txt")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("report");
});

test("an outdated request is aborted, and a search can be stopped, continued and retried", async ({
  openExplorer,
  page,
}) => {
  const { frame, names } = await openExplorer();
  const field = frame.getByRole("searchbox", { name: "Search" });
  const progress = frame.getByRole("search", { name: "Search progress" });
  const queries: string[] = [];
  let release = () => {};
  let fail = false;
  await page.route("**/api/embed/storage/search", async (route) => {
    const { query } = route.request().postDataJSON();
    queries.push(query);
    if (fail) return route.fulfill({ status: 503, json: { error: "Later.", code: "unavailable" } });
    if (query === "win") await new Promise<void>((resolve) => (release = resolve));
    await route.continue().catch(() => {});
  });
  await field.fill("win");
  await expect.poll(() => queries).toEqual(["win"]);
  await expect(frame.getByRole("heading", { name: "Searching…" })).toBeVisible();
  const aborted = page.waitForEvent("requestfailed");
  await field.fill("wint");
  await aborted;
  release();
  await expect.poll(names).toEqual(["winter.jpg"]);
  // All that has more letters has been found with these.
  await field.fill("winter");
  await expect(progress).toContainText("7 files");
  expect(queries).toEqual(["win", "wint"]);

  await field.fill("win");
  await expect.poll(() => queries.length).toBe(3);
  await progress.getByRole("button", { name: "Stop" }).click();
  await expect(progress).toContainText("Stopped after 0 files.");
  release();
  fail = true;
  await progress.getByRole("button", { name: "Keep searching" }).click();
  await expect(progress.getByRole("alert")).toContainText("The search was interrupted.");
  await look(page, "failed");
  fail = false;
  await progress.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => queries.length).toBe(5);
  release();
  await expect.poll(names).toEqual(["winter.jpg"]);
});
test("search results follow changes, and come back with Undo", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.keepVersions();
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, names } = explorer;
  await frame.getByRole("searchbox", { name: "Search" }).fill("report");
  await expect.poll(names).toEqual(["reports", "annual report.txt", "Report 2026.pdf", "report.txt"]);

  await row("report.txt").focus();
  await page.keyboard.press("F2");
  await frame.getByRole("textbox", { name: "New name of report.txt" }).fill("report of May.txt");
  await page.keyboard.press("Enter");
  await expect(row("report of May.txt")).toBeFocused();
  await expect(row("report of May.txt").getByText("projects / beta")).toBeVisible();
  await expect(row("report.txt")).toHaveCount(0);

  await choose(explorer, "report of May.txt", "Move to");
  await frame.getByRole("treeitem", { name: "Été" }).click();
  await dialog(frame).getByRole("button", { name: "Move here" }).click();
  await expect(row("report of May.txt").getByText("Été")).toBeVisible();

  await choose(explorer, "annual report.txt", "Delete");
  await expect(row("annual report.txt")).toHaveCount(0);
  await notices(frame).getByRole("button", { name: "Undo" }).click();
  await expect(row("annual report.txt")).toBeVisible();
});

test("what is in a found folder leaves the results with it, and the focus goes to the row after both", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("projects/reports/1 report.txt", "x");
  const { frame, row, names } = await openExplorer({ scope: everything });
  await frame.getByRole("searchbox", { name: "Search" }).fill("report");
  const others = ["annual report.txt", "Report 2026.pdf", "report.txt"];
  await expect.poll(names).toEqual(["reports", "1 report.txt", ...others]);

  await row("reports").focus();
  await page.keyboard.press("Control+x");
  await expect(row("1 report.txt")).toHaveClass(/row--dimmed/);
  await expect(row("report.txt")).not.toHaveClass(/row--dimmed/);

  await page.keyboard.press(" ");
  await page.keyboard.press("Delete");
  await expect(row("annual report.txt")).toBeFocused();
  await expect.poll(names).toEqual(others);
});

test("Stop also prevents the search for what was just typed", async ({ openExplorer, page }) => {
  const { frame, names } = await openExplorer();
  const field = frame.getByRole("searchbox", { name: "Search" });
  const progress = frame.getByRole("search", { name: "Search progress" });
  await field.fill("no");
  await expect.poll(names).toEqual(["notes.txt"]);
  await expect(progress).toContainText("7 files");
  // The moment in which a person who types is waited for lasts until the test says so.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 2_000);
  await field.fill("winter");
  await progress.getByRole("button", { name: "Stop" }).click();
  await page.clock.runFor(1_000);
  await expect(progress).toContainText("Stopped after 0 files.");
  await progress.getByRole("button", { name: "Keep searching" }).click();
  await expect.poll(names).toEqual(["winter.jpg"]);
});

for (const theme of ["light", "dark"]) {
  test(`at 360 pixels, in ${theme}, nothing is cut off and axe passes`, async ({ openExplorer, page }) => {
    await page.setViewportSize({ width: 360, height: 640 });
    await page.emulateMedia({ reducedMotion: "reduce" });
    const { frame, names } = await openExplorer({ query: `&theme=${theme}` });
    const field = frame.getByRole("searchbox", { name: "Search" });
    const isCut = () => field.evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(await isCut()).toBe(false);
    await field.fill("report");
    await expect.poll(names).toHaveLength(4);
    await look(page, `narrow-${theme}`);
    expect(await violations(page), "found").toEqual([]);
    await field.fill("w");
    await look(page, `waiting-${theme}`);
    expect(await violations(page), "waiting").toEqual([]);
  });
}
